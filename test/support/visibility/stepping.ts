/** What the steps have in common. */
import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import type { Answer } from "../answers.ts"
import { nobody, type Person } from "../people.ts"
import { anyOf, made, type Told, type World } from "./World.ts"

export interface Chosen {
  readonly person: Person
  readonly of: number
  readonly to: number
}

export type Step = (world: World, chosen: Chosen) => Effect.Effect<unknown, unknown, HttpClient.HttpClient>

export const visibilities = ["published", "published", "published", "review", "unlisted", "draft"]
export const tagNames = ["one", "two", "three"]
export const emoji = ["👍", "🎉"]
export const kinds = ["threads", "replies", "reacts", "likes", "nodes", "collections", "profile_bio"]

/** The id of one of a list; of an empty one, an id that nothing has. */
export const idBy = (list: ReadonlyArray<string>, number: number) => anyOf(list, number) ?? nobody

export const tagsBy = (number: number) => tagNames.filter((_, index) => ((number >> index) & 1) === 1)
export const urlBy = (number: number) => `https://place-${number % 5}.test/`
export const fieldNames = ["Weight", "Place"]
export const valueBy = (number: number) => anyOf(["precious", "9", "10", "", "somewhere precious"], number)
export const bodyBy = ({ people }: World, number: number) => {
  const mention = `common <a href="sdr:profile/${anyOf(people, number)?.id}">you</a>`
  return number % 2 === 0 ? mention : `${mention} <a href="${urlBy(number)}">there</a>`
}
export const posts = ({ replies, threads }: World) => [...threads, ...replies]

/** Keeps what was made. */
export const keeping = (list: Array<string>) => (answer: Answer) => {
  const json = made(answer)
  if (json?.id !== undefined) list.push(json.id)
  return json
}

export const telling = (list: Array<Told>, by: Person, target: string) => (answer: Answer) => {
  const json = made(answer)
  if (json?.id !== undefined) list.push({ id: json.id, by, target })
}

export const done = (call: Effect.Effect<Answer, unknown, HttpClient.HttpClient>) => Effect.map(call, made)

/** Ends one of those that somebody told. */
export const ending = (
  list: Array<Told>,
  number: number,
  end: (told: Told) => Effect.Effect<Answer, unknown, HttpClient.HttpClient>
) => {
  const told = anyOf(list, number)
  if (told === undefined) return Effect.void
  return Effect.map(end(told), (answer) => {
    if (made(answer) !== undefined) list.splice(list.indexOf(told), 1)
  })
}
