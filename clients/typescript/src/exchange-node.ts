import * as http from "node:http";
import * as https from "node:https";
import { collect, type Exchange, type Received, type Sent } from "./exchange.js";

// The error of a request on a kept connection that the service closed without an answer.
class Ended extends Error {}

/** Returns an exchange with connections of its own, which are used again. */
export function exchange(): Exchange {
  const agents = { "http:": new http.Agent({ keepAlive: true }), "https:": new https.Agent({ keepAlive: true }) };
  return async (url, sent) => {
    try {
      return await once(url, sent, agents[new URL(url).protocol as "http:" | "https:"]);
    } catch (problem) {
      // whether a change was made is not known: it is not sent twice
      if (problem instanceof Ended && (sent.method === "GET" || sent.method === "POST")) {
        return once(url, sent, false); // on a new connection
      }
      throw problem;
    }
  };
}

function once(url: string, sent: Sent, agent: http.Agent | false): Promise<Received> {
  return new Promise((resolve, reject) => {
    const { request: start } = url.startsWith("https:") ? https : http;
    const request = start(url, { method: sent.method, headers: sent.headers, signal: sent.signal, agent });
    request.on("error", (problem) => {
      reject(request.reusedSocket && !sent.signal.aborted ? new Ended(problem.message, { cause: problem }) : problem);
    });
    request.on("response", (response) => {
      const headers = new Headers();
      for (const [name, values] of Object.entries(response.headersDistinct)) {
        values?.forEach((value) => headers.append(name, value));
      }
      const socket = response.socket;
      collect(response)
        .then((text) => {
          if (headers.get("X-Request-Id") !== sent.headers["X-Request-Id"]) {
            socket.destroy(); // what comes next on it may be of another request, too
          }
          resolve({ status: response.statusCode ?? 0, headers, text });
        })
        .catch(reject);
    });
    request.end(sent.body);
  });
}
