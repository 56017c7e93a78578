import { answers } from "./answers.js";

interface Shape {
  ref?: string;
  any?: Shape[];
  type?: string[];
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  items?: Shape;
  values?: Shape;
  required?: string[];
  properties?: Record<string, Shape>;
}

const shapes: Record<string, Shape> = answers;

/** Says which member that the contract requires is missing, or has not its type; "": none. */
export function problem(given: Shape, path: string, value: unknown): string {
  const shape = given.ref === undefined ? given : shapes[given.ref]!;
  if (shape.any) {
    const problems = shape.any.map((one) => problem(one, path, value));
    return problems.includes("") ? "" : problems[0]!;
  }
  const kind = kindOf(value);
  if (shape.type && !shape.type.includes(kind) && !(kind === "integer" && shape.type.includes("number"))) {
    return `${path} is ${kind}, want ${shape.type.join(" or ")}`;
  }
  const { minimum = -Infinity, maximum = Infinity } = shape;
  if ((shape.enum && !shape.enum.includes(value)) || (typeof value === "number" && (value < minimum || value > maximum))) {
    return `${path} has a value that the contract does not have`;
  }
  if (Array.isArray(value)) {
    return first(value.map((element, i) => [shape.items ?? {}, `${path}[${i}]`, element]));
  }
  if (typeof value !== "object" || value === null) {
    return "";
  }
  const missing = shape.required?.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) {
    return `${path}.${missing} is missing`;
  }
  const { properties = {}, values = {} } = shape;
  return first(Object.entries(value).map(([name, member]) => [
    Object.hasOwn(properties, name) ? properties[name]! : values, `${path}.${name}`, member,
  ]));
}

// first returns the first problem of some values.
function first(parts: [Shape, string, unknown][]): string {
  for (const part of parts) {
    const found = problem(...part);
    if (found) {
      return found;
    }
  }
  return "";
}

// kindOf names the type of a JSON value.
function kindOf(value: unknown): string {
  if (typeof value === "number") {
    return Number.isInteger(value) ? "integer" : Number.isFinite(value) ? "number" : "infinite";
  }
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
