/** What administrators are told of failures of the service: enough to repair them, and nothing secret. */
import { assert, describe, it } from "@effect/vitest"
import { Cause } from "effect"
import {
  causeOf,
  isPassing,
  messageMax,
  messageOf,
  placeOf,
  redacted,
  whereMax
} from "../../../src/domain/operations/InternalErrorRules.ts"
import { CarriedProblem } from "../../../src/domain/shared/Problem.ts"
import { StorageUnavailable } from "../../../src/domain/storage/StorageProblem.ts"
import { processorMillis } from "../../support/cpu.ts"

const key = "x9Kq2mVbT7LpR4sWcYh8NzJd5GfE3aUo6iQ1wXv0tMk"

describe("a message", () => {
  it.each([
    ["connect postgres://forum:hunter2@db.example/forum failed", ["hunter2", "forum:"], "db.example/forum"],
    ["GET https://a.example/reset?token=abc&x=1 failed", ["abc", "x=1"], "https://a.example/reset"],
    ["at https://a.example/#access=abc now", ["abc"], "now"],
    ["Authorization: Bearer abc.def-ghi", ["abc"], ""],
    ["sent Bearer abc.def to it", ["abc.def"], "to it"],
    ['{"password": "hunter two", "name"}', ["hunter", "two"], ""],
    ["password=hunter2;host=db", ["hunter2"], "password"],
    ["smtp_password: hunter2", ["hunter2"], "smtp_password"],
    [`fpk_${key} is refused`, [key, key.slice(0, 10)], "is refused"],
    [`fos_short is refused`, ["fos_short"], "is refused"],
    ["mail to freya@asgard.example bounced", ["freya", "asgard"], "bounced"],
    ["session 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 ended", ["9f86"], "ended"],
    [`random ${key} bytes`, [key], "bytes"],
    ['Expected a number, got "a private text"', ["private"], "Expected a number"],
    ["Unexpected token in 'a private text'", ["private"], "Unexpected token"],
    ["cannot read `a private text`", ["private"], "cannot read"]
  ])("hides what is secret in %s", (text, secrets, kept) => {
    const message = redacted(text)
    for (const secret of secrets) assert.notInclude(message, secret)
    assert.include(message, kept)
  })

  it.each([
    'duplicate key value violates unique constraint "accounts_handle_key"',
    'relation "posts" does not exist',
    "ENOSPC: no space left on device, write",
    "The thread dc0qdt7khh6uivg0000g can't be read",
    "account_interests_account_id_fkey_of_a_long_name"
  ])("keeps what tells where to look: %s", (text) => {
    assert.strictEqual(redacted(text), text)
  })

  it("is one line of limited length, however long the error is", () => {
    const message = redacted(`a\n\tb\u202e\u0000${"word ".repeat(100_000)}`)
    assert.match(message, /^a b word word/)
    assert.strictEqual(Array.from(message).length, messageMax)
    assert.strictEqual(Array.from(redacted("\u{1d400}".repeat(5000))).length, messageMax)
    assert.isTrue(redacted(`${"a ".repeat(999)}\u{1d400}${"\u{1d400}".repeat(9)}`).isWellFormed())
    assert.isAtMost(Array.from(placeOf("x".repeat(5000))).length, whereMax)
  })

  it("is read in no time, whatever it is made of", () => {
    for (const part of [
      "a",
      "@",
      "a@",
      "://",
      "a://",
      "=",
      "password=",
      '"',
      "'",
      " '",
      "1aA",
      "-",
      "bearer "
    ]) {
      const milliseconds = processorMillis(() => redacted(part.repeat(100_000)))
      assert.isBelow(milliseconds, 500, part)
    }
  })

  it("names the innermost error, whatever failed around it", () => {
    const error = new Error("outside", { cause: new TypeError("inside") })
    assert.strictEqual(
      messageOf("A chore failed", Cause.die(error)),
      "A chore failed: Error: TypeError: inside"
    )
    assert.strictEqual(messageOf("A chore failed", "no reason"), "A chore failed: no reason")
    assert.strictEqual(
      messageOf("A chore failed", Cause.fail({ secret: 1 })),
      "A chore failed: A value that is not an error"
    )
  })
})

describe("two failures", () => {
  const causes = (one: string, other: string) => [causeOf("a", one), causeOf("a", other)] as const

  it.each([
    ["port 5432 refused after 10 ms", "port 5433 refused after 7 ms"],
    ["thread dc0qdt7khh6uivg0000g", "thread dc0qdtfkhh6uivg0003g"]
  ])("are one if they differ in numbers and ids: %s, %s", (one, other) => {
    const [first, second] = causes(one, other)
    assert.strictEqual(first, second)
  })

  it("are two if they say different things, or happen in different places", () => {
    const [first, second] = causes("refused", "closed")
    assert.notStrictEqual(first, second)
    assert.notStrictEqual(causeOf("a", "x"), causeOf("b", "x"))
  })
})

describe("a failure", () => {
  it("passes if the database does not answer, or the service stops", () => {
    const unavailable = new StorageUnavailable({ metadata: { retry_after: 1 } })
    assert.isTrue(isPassing(Cause.die(new CarriedProblem(unavailable))))
    assert.isTrue(isPassing(Cause.interrupt()))
    assert.isFalse(isPassing(Cause.die(new Error("a mistake"))))
    assert.isFalse(isPassing(Cause.fail(unavailable)))
    assert.isFalse(isPassing("a sentence"))
  })
})
