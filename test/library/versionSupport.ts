/** What people usually do with pages and their versions. */
import { Effect } from "effect"
import { ok } from "../support/answers.ts"
import { Cast, grant, type Person, signUp } from "../support/people.ts"

export interface PageOf {
  readonly id: string
  readonly slug: string
}

/** Creates a page that is published unless `fields` say otherwise, by somebody who may. */
export const write = (person: Person, name: string, fields: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(person.post("/nodes", { name, visibility: "published", ...fields }), ok)

export const versionsPath = (node: PageOf, rest = "") => `/nodes/${node.slug}/versions${rest}`

/** Tries to create a draft. */
export const tryDraft = (person: Person, node: PageOf, changes: unknown = {}) =>
  person.post(versionsPath(node), changes)

export const draft = (person: Person, node: PageOf, changes: unknown = {}) =>
  Effect.map(tryDraft(person, node, changes), ok)

export const tryApply = (person: Person, node: PageOf, version: { readonly id: string }) =>
  person.patch(`/nodes/${node.id}/versions/${version.id}/status`, { status: "applied" })

export const apply = (person: Person, node: PageOf, version: { readonly id: string }) =>
  Effect.map(tryApply(person, node, version), ok)

/** Creates a draft and applies it at once. */
export const change = Effect.fnUntraced(function* (person: Person, node: PageOf, changes: unknown) {
  return yield* apply(person, node, yield* draft(person, { ...node, slug: node.id }, changes))
})

export const read = (person: Person, node: { readonly id: string }) =>
  Effect.map(person.get(`/nodes/${node.id}`), ok)

/** Odin is the administrator, Freya proposes changes, Loki only reads, and Mimir manages the library. */
export const staff = Effect.gen(function* () {
  const { freya, loki, odin, tyr } = yield* Cast
  yield* grant(freya, "SUBMIT_LIBRARY_NODE_CHANGES")
  const mimir = yield* signUp("mimir")
  yield* grant(mimir, "MANAGE_LIBRARY")
  return { freya, loki, mimir, odin, tyr } as const
})

export const field = (name: string, value: string, more: Readonly<Record<string, string>> = {}) => ({
  name,
  value,
  type: "text",
  sort: name,
  ...more
})

/** Properties as `name: value`. */
export const valuesOf = (one: {
  readonly properties: ReadonlyArray<{ readonly name: string; readonly value: string }>
}) => one.properties.map(({ name, value }) => `${name}: ${value}`)
