import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, SchemaParser } from "effect"
import { EventLocation } from "../../../src/domain/calendar/Location.ts"
import * as Text from "../../../src/domain/field/Text.ts"
import { ModerationAction } from "../../../src/domain/moderation/ModerationAction.ts"
import { Visibility } from "../../../src/domain/shared/Visibility.ts"
import { brokenIn } from "../../../src/http/pipeline/Issues.ts"

const Pair = Schema.Struct({ name: Schema.String, sizes: Schema.Array(Schema.Int) }).annotate({
  identifier: "Pair"
})

const Nested: Schema.Codec<unknown> = Schema.Struct({
  inner: Schema.suspend((): Schema.Codec<unknown> => Nested)
}).annotate({ identifier: "Nested" })

const slugOrNone = Schema.Union([Schema.Literal(""), Text.verbatim({ max: 5, description: "A slug" })])

const messagesOf = (schema: Schema.Codec<unknown, unknown>, value: unknown): ReadonlyArray<string> => {
  const result = SchemaParser.decodeUnknownResult(schema, { errors: "all" })(value)
  return Result.isSuccess(result)
    ? []
    : brokenIn(result.failure).map(({ message, path }) => `${path.map(String).join(".")}: ${message}`)
}

interface Case {
  readonly names: string
  readonly schema: Schema.Codec<unknown, unknown>
  readonly value: unknown
  readonly messages: ReadonlyArray<string>
}

const visibilities = ': Expected one of "draft", "unlisted", "review", "published"'

const cases: ReadonlyArray<Case> = [
  { names: "what is missing", schema: Pair, value: {}, messages: ["name: Required", "sizes: Required"] },
  { names: "an object by its kind", schema: Pair, value: 5, messages: [": Expected an object"] },
  {
    names: "each wrong field",
    schema: Pair,
    value: { name: 1, sizes: [1, "x", 1.5] },
    messages: ["name: Expected a string", "sizes.1: Expected a number", "sizes.2: Expected an integer"]
  },
  {
    names: "an array",
    schema: Pair,
    value: { name: "", sizes: {} },
    messages: ["sizes: Expected an array"]
  },
  { names: "a boolean", schema: Schema.Boolean, value: "yes", messages: [": Expected true or false"] },
  { names: "each value of an enumeration", schema: Visibility, value: "secret", messages: [visibilities] },
  {
    names: "the only possible value",
    schema: Schema.Literal("applied"),
    value: "draft",
    messages: [': Expected "applied"']
  },
  {
    names: "values of several kinds",
    schema: Schema.NullOr(Visibility),
    value: 5,
    messages: [`${visibilities} or null`]
  },
  { names: "a string once", schema: slugOrNone, value: 5, messages: [": Expected a string"] },
  {
    names: "the rule of a text",
    schema: slugOrNone,
    value: "toolong",
    messages: [": Expected at most 5 characters"]
  },
  {
    names: "what tells objects apart",
    schema: ModerationAction,
    value: { action: "x" },
    messages: ['action: Expected "purge_account"']
  },
  {
    names: "the field that tells one of several objects apart",
    schema: EventLocation,
    value: { location_type: "x" },
    messages: ['location_type: Expected one of "physical", "virtual"']
  },
  ...[5, null, {}, { location_type: "x" }].map((value) => ({
    names: "what a schema says of itself, within a body",
    schema: Schema.Struct({ location: EventLocation }),
    value: { location: value },
    messages: ["location: Expected a location, whose location_type is physical or virtual"]
  })),
  {
    names: "what is wrong with the object that is meant",
    schema: EventLocation,
    value: { location_type: "virtual" },
    messages: ["name: Required"]
  },
  {
    names: "objects that contain their like",
    schema: Nested,
    value: { inner: { inner: 1 } },
    messages: ["inner.inner: Expected an object"]
  }
]

describe("what is wrong with a request", () => {
  it.each(cases)("names $names", ({ messages, schema, value }) => {
    assert.deepStrictEqual(messagesOf(schema, value), messages)
  })
})
