// The state of the page in its address: #/trade?a=BTC&d=long.

export interface Place {
  name: string;
  path: string[];
  params: URLSearchParams;
}

export function place(hash = location.hash): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [name = "", ...rest] = path.split("/").map(decodeURIComponent);
  return { name, path: rest, params: new URLSearchParams(query) };
}

/** The address of a screen, with the parameters that are not empty. Colons and commas stay readable. */
export function link(
  name: string,
  params: Record<string, string | number | null | undefined> | URLSearchParams = {},
): string {
  const given = params instanceof URLSearchParams ? [...params] : Object.entries(params);
  const query = new URLSearchParams();
  for (const [k, v] of given) if (v !== null && v !== undefined && v !== "") query.set(k, String(v));
  const text = query.toString().replaceAll("%3A", ":").replaceAll("%2C", ",");
  return "#/" + name + (text === "" ? "" : "?" + text);
}

/** Changes parameters of the address without an entry in the history. */
export function change(changes: Record<string, string | null>) {
  const { name, path, params } = place();
  for (const [k, v] of Object.entries(changes)) v === null || v === "" ? params.delete(k) : params.set(k, v);
  history.replaceState(null, "", link([name, ...path].join("/"), params));
}
