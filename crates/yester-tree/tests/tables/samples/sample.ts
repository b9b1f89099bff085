import type { Other } from "./other";

enum Colour { Red, Green = "g" }
type Names = string[] | { readonly [key: string]: number } | null;
interface Reader<T extends object = {}> extends Other {
  name?: string;
  read(path: string, ...rest: any[]): Promise<T>;
}

declare function outside(value: unknown): asserts value is string;

@sealed
export abstract class Words<T> implements Reader<Words<T>> {
  private static readonly limit: number = 10;
  constructor(public name: string, protected items: Array<T> = []) {
    super();
  }
  abstract read(): Promise<any>;
  get size(): number { return this.items!.length; }
  total<K extends keyof T>(key: K, list: [number, string?]): number {
    let sum = 0 as number, other: typeof key;
    for (const item of this.items) {
      if (item === null || !(key in item)) continue;
      else sum += <number>item[key];
    }
    for (let index = 0; index < 3; index++) { switch (index) { case 1: sum--; break; default: sum = -sum; } }
    const twice = (value: number): number => value * 2;
    try { while (sum > 0) sum /= twice(sum); } catch (error) { throw new Error(`bad ${sum}`); }
    return sum ? list[0] : Words.limit;
  }
}

namespace inner { export const a = /x/g; }
type Picked<T> = T extends (infer U)[] ? U : Partial<T>;
export default inner;
