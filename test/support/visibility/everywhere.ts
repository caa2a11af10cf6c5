/** What is shown of a thing is the same wherever it is shown to one person. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Comparison, Json } from "./Reader.ts"

interface Kind {
  readonly is: (value: Json) => boolean
  /** What names it. */
  readonly idOf: (value: Json) => string
  /** The numbers and lists that it shows, of those that this place shows. */
  readonly numbersOf: (value: Json) => Readonly<Record<string, unknown>>
}

const idOf = ({ id }: Json): string => id
const idsOf = (list: ReadonlyArray<{ readonly id: string }> | undefined) => list?.map(({ id }) => id)
const tagsOf = (tags: ReadonlyArray<Json> | undefined) =>
  tags?.map(({ item_count, name }) => `${name} ${item_count}`)

/** What each kind is told by, as far as it is shown in more than one place. */
const kinds = {
  post: {
    is: (value) => "likes" in value && "collections" in value && "reacts" in value,
    idOf,
    numbersOf: ({ assets, collections, likes, reacts, visibility }) => ({
      visibility,
      assets: idsOf(assets),
      collections,
      likes,
      reacts: idsOf(reacts)
    })
  },
  text: {
    is: (value) => "body_links" in value,
    idOf,
    numbersOf: ({ body_links }) => ({ body_links: idsOf(body_links) })
  },
  thread: {
    is: (value) => "reply_status" in value,
    idOf,
    numbersOf: ({ last_reply_at, pinned, read_status, reply_status, tags }) => ({
      pinned,
      last_reply_at,
      read_status,
      reply_status,
      tags: tagsOf(tags)
    })
  },
  node: {
    is: (value) => "child_property_schema" in value,
    idOf,
    numbersOf: ({ assets, properties, tags, visibility }) => ({
      visibility,
      assets: idsOf(assets),
      properties,
      tags: tagsOf(tags)
    })
  },
  category: {
    is: (value) => "postCount" in value,
    idOf,
    numbersOf: ({ postCount, sort }) => ({ postCount, sort })
  },
  tag: {
    is: (value) => "item_count" in value && !("owner" in value),
    idOf: ({ name }) => name,
    numbersOf: ({ item_count }) => ({ item_count })
  },
  event: {
    is: (value) => "participants" in value,
    idOf,
    numbersOf: ({ capacity, participants }) => ({
      capacity,
      participants: participants.map(({ profile, role, status }: Json) => [profile.id, role, status])
    })
  },
  version: {
    is: (value) => "node_id" in value,
    idOf,
    numbersOf: ({ properties, status }) => ({ properties, status })
  },
  profile: {
    is: (value) => "like_score" in value,
    idOf,
    numbersOf: ({ followers, following, interests, like_score }) => ({
      followers,
      following,
      like_score,
      interests: tagsOf(interests)
    })
  },
  account: {
    // Lists of accounts leave it out.
    is: (value) => "email_addresses" in value && "notifications" in value,
    idOf,
    numbersOf: ({ notifications }) => ({ notifications })
  },
  person: {
    is: (value) => "handle" in value && "roles" in value,
    idOf,
    numbersOf: ({ roles }) => ({ roles: idsOf(roles) })
  }
} satisfies Readonly<Record<string, Kind>>

const objectsIn = (value: Json): ReadonlyArray<Json> => {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  if (typeof value !== "object" || value === null) return []
  return [value, ...Object.values(value).flatMap(objectsIn)]
}

/** What `misc.omitted` names is not shown there. */
const shownOf = (numbers: Readonly<Record<string, unknown>>, { misc }: Json) =>
  Object.entries(numbers).filter(([key]) => !(misc?.omitted ?? []).includes(key))

export const everywhere: Comparison = ({ view: { answers, name } }) =>
  Effect.sync(() => {
    const known = new Map<string, unknown>()
    for (const value of answers.flatMap(objectsIn)) {
      for (const [kind, { idOf, is, numbersOf }] of Object.entries<Kind>(kinds)) {
        if (!is(value)) continue
        for (const [number, shown] of shownOf(numbersOf(value), value)) {
          const key = `${number} of ${kind} ${idOf(value)}`
          if (known.has(key)) assert.deepStrictEqual(shown, known.get(key), `${key} as ${name}`)
          else known.set(key, shown)
        }
      }
      if ("recomentations" in value) assert.deepStrictEqual(value.recomentations, [])
    }
  })
