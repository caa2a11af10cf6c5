/** What is around the discussions: those who join, the library, dates, collections, reports. */
import { Effect, Stream } from "effect"
import { Timestamp } from "../../domain/field/Resource.ts"
import type { CategoryId } from "../../domain/shared/Id.ts"
import * as library from "./library.ts"
import { type Cast, day, hour, joins, length, type Moment } from "./Moment.ts"
import { administrator, everybody, moderator, type Person } from "./people.ts"
import { pictureOf } from "./pictures.ts"

export const password = "repair-cafe-demo"

const timestampOf = (millis: number) => Timestamp.make(new Date(millis).toISOString())

const textFile = (text: string) => Stream.make(new TextEncoder().encode(text))

const join = (cast: Cast, person: Person) =>
  Effect.gen(function* () {
    const client = cast.clientOf(person)
    const { id } = yield* client.auth.signUp({ payload: { identifier: person.handle, token: password } })
    cast.ids.set(person, id)
    yield* client.accounts.updateOwn({ payload: { name: person.name, bio: person.bio } })
    const picture = pictureOf(person.handle)
    yield* client.avatars.set({
      headers: { "content-length": String(picture.length) },
      payload: Stream.make(picture)
    })
  })

export const joining = (cast: Cast): ReadonlyArray<Moment> =>
  everybody.flatMap((person, index) => [
    { at: joins(index), act: join(cast, person) },
    {
      at: joins(index) + hour,
      act: Effect.suspend(() =>
        cast
          .clientOf(person)
          .profiles.follow({ params: { account_handle: everybody[index % 4 === 0 ? 1 : 0]?.handle ?? "" } })
      ).pipe(Effect.when(Effect.succeed(index > 1)))
    }
  ])

/** The instance gets its name, and somebody who helps. */
export const settling = (cast: Cast): Moment => ({
  at: joins(1) + 2 * hour,
  act: Effect.gen(function* () {
    const admin = cast.clientOf(administrator)
    yield* admin.settings.update({
      payload: { title: "Repair Café", description: "We mend what others throw away." }
    })
    const role = yield* admin.roles.create({
      payload: {
        name: "Moderator",
        colour: "#3c7a5b",
        permissions: ["MANAGE_POSTS", "MANAGE_REPORTS", "MANAGE_LIBRARY", "MANAGE_EVENTS"]
      }
    })
    const params = { account_handle: moderator.handle, role_id: role.id }
    yield* admin.accountRoles.add({ params })
    yield* admin.accountRoles.setBadge({ params })
  })
})

const makePages = (
  cast: Cast,
  person: Person,
  page: library.Page,
  parent?: string
): Effect.Effect<string, unknown> =>
  Effect.gen(function* () {
    const { children, ...payload } = page
    const { slug } = yield* cast.clientOf(person).nodes.create({
      payload: { ...payload, visibility: "published", ...(parent === undefined ? {} : { parent }) }
    })
    yield* Effect.forEach(children, (child) => makePages(cast, person, child, slug), { discard: true })
    return slug
  })

const makeTable = (cast: Cast) =>
  Effect.gen(function* () {
    const { nodes } = cast.clientOf(moderator)
    const parent = yield* makePages(cast, moderator, library.tools)
    yield* Effect.forEach(library.tableOfTools, ([name, place, price, bought]) =>
      nodes.create({
        payload: {
          name,
          parent,
          visibility: "published",
          properties: [
            { name: "Place", type: "text", value: place, sort: "1" },
            { name: "Price", type: "number", value: price, sort: "2" },
            { name: "Bought", type: "timestamp", value: bought, sort: "3" }
          ]
        }
      })
    )
  })

const addFiles = (cast: Cast) =>
  Effect.gen(function* () {
    const { assets, nodes } = cast.clientOf(moderator)
    const checklist = yield* assets.upload({
      query: { filename: "checklist.txt" },
      payload: textFile(library.checklist)
    })
    const parts = yield* assets.upload({
      query: { filename: "spare-parts.csv" },
      payload: textFile(library.partsList)
    })
    yield* nodes.addAsset({ params: { node_slug: "safety", asset_id: checklist.id } })
    yield* nodes.addAsset({ params: { node_slug: "tools", asset_id: parts.id } })
  })

export const librarian = (cast: Cast): ReadonlyArray<Moment> => [
  { at: 5 * day, act: makePages(cast, moderator, library.handbook) },
  { at: 9 * day, act: makePages(cast, moderator, library.guides) },
  { at: 12 * day, act: makeTable(cast) },
  { at: 13 * day, act: addFiles(cast) },
  {
    at: length - 2 * day,
    act: Effect.suspend(() =>
      cast.clientOf(cast.somebody(length, 29)).nodes.createVersion({
        params: { node_slug: "house-rules" },
        payload: { content: library.proposed }
      })
    )
  }
]

const dates = [
  { name: "Repair Saturday", on: -30, hours: 5, capacity: 25 },
  { name: "Sewing for beginners", on: -9, hours: 3, capacity: 8 },
  { name: "Repair Saturday, the long one", on: 6, hours: 8, capacity: 40 },
  { name: "Soldering for beginners", on: 13, hours: 2, capacity: 6 },
  { name: "Summer party in the yard", on: 41, hours: 6, capacity: 100 }
] as const

/** Dates before and after today, each announced two weeks before it or when everything ends, whatever comes first. */
export const calendar = (
  cast: Cast,
  start: number,
  category: () => CategoryId | undefined
): ReadonlyArray<Moment> =>
  dates.map(({ capacity, hours, name, on }, number) => {
    const begins = start + (length + on * day) * 60_000
    const at = Math.min(length - 5 * hour, length + (on - 14) * day) + number
    const guests = [0, 1, 2, 3, 4].map((guest) => cast.somebody(at, number * 3 + guest * 7 + 2))
    const announce = Effect.gen(function* () {
      const thread_category_id = category()
      if (thread_category_id === undefined) return
      const { slug } = yield* cast.clientOf(administrator).events.create({
        payload: {
          name,
          content: `<p>${name}: bring what is broken, and something to eat.</p>`,
          time_range: { start: timestampOf(begins), end: timestampOf(begins + hours * 3_600_000) },
          participation_policy: "open",
          visibility: "published",
          thread_category_id,
          capacity,
          location: { location_type: "physical", name: "The old fire station", address: "Mill Lane 4" }
        }
      })
      yield* Effect.forEach(new Set(guests), (guest) =>
        cast.clientOf(guest).events.setParticipant({
          params: { event_mark: slug, account_id: cast.ids.get(guest) ?? "" },
          payload: { status: "attending" }
        })
      )
    })
    return { at, act: announce }
  })

/** What two members have put together, and what was reported to the moderator. */
export const collecting = (cast: Cast): ReadonlyArray<Moment> => {
  const curator = cast.somebody(length, 11)
  const reporter = cast.somebody(length, 17)
  const collect = Effect.gen(function* () {
    const { collections, threads } = cast.clientOf(curator)
    const { slug } = yield* collections.create({
      payload: { name: "Start here", description: "The discussions that answer most questions." }
    })
    const { threads: found } = yield* threads.list({ query: { tags: ["electrical"] } })
    yield* Effect.forEach(found.slice(0, 8), ({ id }) =>
      collections.addPost({ params: { collection_mark: slug, post_id: id } })
    )
  })
  const report = Effect.gen(function* () {
    const { reports, threads } = cast.clientOf(reporter)
    const { threads: found } = yield* threads.list({})
    yield* Effect.forEach(found.slice(3, 5), ({ id }) =>
      reports.create({
        payload: { target_id: id, target_kind: "thread", comment: "Belongs into another category." }
      })
    )
  })
  return [
    { at: length - day, act: collect },
    { at: length - 3 * hour, act: report }
  ]
}
