// One request and its response, on every platform.

export interface Sent {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
}

export interface Received {
  status: number;
  headers: Headers; // of several headers of one name the values are joined
  text: string | undefined; // undefined: over MAX_ANSWER bytes
}

/** Sends a request and reads the response. Closes the connection if the response has not the id of the request. */
export type Exchange = (url: string, sent: Sent) => Promise<Received>;

/** Bytes; a larger answer is an error. */
export const MAX_ANSWER = 16 << 20;

/** An exchange by means of fetch. */
export function byFetch(fetch: (request: Request) => Promise<Response>): Exchange {
  return async (url, sent) => {
    const response = await fetch(new Request(url, { ...sent, redirect: "error" }));
    const { status, headers } = response;
    return { status, headers, text: await collect(chunks(response.body)) };
  };
}

// Not every browser can iterate over a stream.
async function* chunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader!.read()) {
      yield part.value;
    }
  } finally {
    await reader?.cancel();
  }
}

/** Returns the text of a body, undefined if it is too long. Leaving the loop early cancels the body. */
export async function collect(body: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER) {
      return undefined;
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
