// Writes the TypeScript types of the contract; with --check it only exits with 1 if a file is
// out of date: node gen.mjs SPEC-FOLDER [--check]
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";

const folder = process.argv[2];
// Drops the number format "double", the only one, and examples, which would become comments.
const drops = (key, value) => key === "example" || (key === "format" && value === "double");
const read = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"), (key, value) => (drops(key, value) ? undefined : value));
// The generator reads only OpenAPI, so the AsyncAPI schemas of the alert socket are put into an OpenAPI document.
const { schemas } = read("asyncapi.json").components;
const socket = { openapi: "3.1.0", info: { title: "Alerts", version: "1.0.0" }, paths: {}, components: { schemas } };
for (const [name, document] of [["contract.ts", read("openapi.json")], ["alert-contract.ts", socket]]) {
  const path = join(import.meta.dirname, "src", name);
  const text = `// Written by gen.mjs from the contract in server/spec. Do not edit.\n\n${astToString(await openapiTS(document, { defaultNonNullable: false }))}`;
  if (!process.argv.includes("--check")) {
    writeFileSync(path, text);
  } else if (readFileSync(path, "utf8") !== text) {
    console.error(`src/${name} is not as the contract says: run make gen`);
    process.exitCode = 1;
  }
}
