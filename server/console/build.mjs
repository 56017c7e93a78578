// Builds the console as one HTML file with script and style inside, in the folder given as
// argument. Run by "make gen", and by a test.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";

const out = process.argv[2];
const bundle = async (entry) => {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: ["es2022", "chrome108", "firefox108", "safari16"],
    charset: "utf8",
    legalComments: "none",
  });
  return result.outputFiles[0].text.trim();
};
const [page, style, script] = await Promise.all([
  readFile("src/index.html", "utf8"),
  bundle("src/all.css"),
  bundle("src/main.ts"),
]);
await mkdir(out, { recursive: true });
// Replaces by a function, because replace treats "$" in a replacement string specially.
await writeFile(
  `${out}/index.html`,
  page.replace("/*style*/", () => style).replace("/*script*/", () => script),
);
