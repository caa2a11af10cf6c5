import { assert, describe, it } from "@effect/vitest"
import { isSnapshot } from "../../../src/persistence/thread/ThreadWalkSql.ts"

describe("what a cursor says of transactions", () => {
  for (const text of [
    "1:1:",
    "10:20:",
    "10:20:10",
    "10:20:10,15,19",
    "10:20:12,12",
    "9223372036854775806:9223372036854775807:"
  ]) {
    it(`${text} is read by PostgreSQL`, () => assert.isTrue(isSnapshot(text)))
  }
  for (const text of [
    "",
    "10",
    "10:20",
    "x:y:",
    "0:20:",
    "-1:20:",
    "20:10:",
    "10:20:20",
    "10:20:9",
    "10:20:15,12",
    "10:20:15,",
    "10:20:,15",
    "10:20:15 ",
    "1:9223372036854775808:",
    "1:99999999999999999999:"
  ]) {
    it(`${text} is refused`, () => assert.isFalse(isSnapshot(text)))
  }
})
