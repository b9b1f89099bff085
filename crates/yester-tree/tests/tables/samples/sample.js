import fs, { join as together } from "path";

const limit = 10;
let names = ["one", `two ${limit + 1}`, /x+/g];

// Reads and counts.
class Reader extends Object {
  #count = 0;
  static from(path) {
    return new Reader(path);
  }
  constructor(path, { deep = true, ...rest } = {}) {
    super();
    this.path = path;
    this.rest = rest;
  }
  get size() {
    return this.#count ?? 0;
  }
  async *read(...parts) {
    for (const part of parts) {
      if (part === null || typeof part !== "string") continue;
      else this.#count += part.length;
      yield await fs.read(together(this.path, part));
    }
  }
}

export function total(list) {
  var sum = 0;
  for (let index = 0; index < list.length; index++) {
    switch (list[index]) {
      case 1:
        sum++;
        break;
      default:
        sum -= -list[index]?.value;
    }
  }
  while (sum > limit) sum /= 2;
  do { sum--; } while (!sum);
  try {
    names.map((name) => name.trim()).filter(Boolean);
  } catch (error) {
    throw { error, [names[0]]: 1, "b": (2, 3) };
  } finally {
    delete names.length;
  }
  return sum ? list : undefined;
}
