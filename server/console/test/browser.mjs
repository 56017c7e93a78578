// What modules of the page read while they are loaded.
globalThis.sessionStorage = { getItem: () => null };
globalThis.location = { hash: "" };
