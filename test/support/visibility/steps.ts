/** What people do at random: each step takes who does it and two numbers that choose the rest. */
import { Clock, Effect } from "effect"
import { nobody, type Person } from "../people.ts"
import { people, together } from "./memberSteps.ts"
import type { Json } from "./Reader.ts"
import {
  bodyBy,
  type Chosen,
  done,
  emoji,
  fieldNames,
  idBy,
  keeping,
  posts,
  type Step,
  tagsBy,
  urlBy,
  valueBy,
  visibilities
} from "./stepping.ts"
import { anyOf, made, type World } from "./World.ts"

const discussion = {
  open: (world, { of, person, to }) =>
    Effect.map(
      person.post("/threads", {
        title: `Common ${of}`,
        body: bodyBy(world, to),
        visibility: anyOf(visibilities, to),
        tags: tagsBy(of),
        ...(to % 3 === 0 ? {} : { category: anyOf(world.categories, of)?.id }),
        ...(of % 3 === 0 ? { url: urlBy(to) } : {})
      }),
      keeping(world.threads)
    ),
  reply: (world, { of, person, to }) =>
    Effect.map(
      person.post(`/threads/${idBy(world.threads, of)}/replies`, { body: bodyBy(world, to) }),
      (answer) => {
        const json = keeping(world.replies)(answer)
        if (json === undefined) return
        const publishedAt = Date.parse(json.createdAt)
        world.standing.set(json.id, { visibility: json.visibility, publishedAt })
      }
    ),
  /** Hides or publishes a post, or a thread as its author does. */
  show: (world, { of, person, to }) => {
    const post = anyOf(posts(world), of)
    if (post === undefined) return Effect.void
    const isAuthor = to % 3 === 0 && world.threads.includes(post)
    const path = isAuthor ? `/threads/${post}` : `/posts/${post}`
    return Effect.gen(function* () {
      const json = made(yield* person.patch(path, { visibility: anyOf(visibilities, to) }))
      const before = world.standing.get(post)
      if (json === undefined || before === undefined) return
      const { visibility } = json
      const isPublished = visibility === "published" && before.visibility !== "published"
      const publishedAt = isPublished ? yield* Clock.currentTimeMillis : before.publishedAt
      world.standing.set(post, { visibility, publishedAt })
    })
  },
  change: (world, { of, person, to }) =>
    done(
      person.patch(`/threads/${idBy(world.threads, of)}`, {
        tags: tagsBy(to),
        category: anyOf(world.categories, to)?.id
      })
    ),
  deletePost: (world, { of, person }) => done(person.delete(`/posts/${idBy(posts(world), of)}`)),
  like: (world, { of, person }) => done(person.put(`/likes/posts/${idBy(posts(world), of)}`)),
  unlike: (world, { of, person }) => done(person.delete(`/likes/posts/${idBy(posts(world), of)}`)),
  react: (world, { of, person, to }) => {
    const post = anyOf(posts(world), of)
    if (post === undefined) return Effect.void
    return Effect.map(person.put(`/posts/${post}/reacts`, { emoji: anyOf(emoji, to) }), (answer) => {
      const json = made(answer)
      if (json === undefined) return
      const known = world.reacts.get(post) ?? new Map<string, Person>()
      world.reacts.set(post, known.set(json.id, person))
    })
  },
  unreact: (world, { of, to }) => {
    const [post, reacts] = anyOf([...world.reacts], of) ?? []
    const [id, person] = anyOf([...(reacts ?? [])], to) ?? []
    if (id === undefined || person === undefined) return Effect.void
    return Effect.map(person.delete(`/posts/${post}/reacts/${id}`), (answer) => {
      if (made(answer) !== undefined) reacts?.delete(id)
    })
  },
  read: (world, { of, person }) =>
    done(
      person.post("/beacon", JSON.stringify({ k: "thread", id: anyOf(world.threads, of) }), {
        "content-type": "text/plain;charset=UTF-8"
      })
    )
} satisfies Readonly<Record<string, Step>>

const library = {
  write: (world, { of, person, to }) =>
    Effect.map(
      person.post("/nodes", {
        name: `Common ${of}`,
        slug: `common-${of}-${to}`,
        tags: tagsBy(of),
        content: bodyBy(world, to),
        ...(of % 2 === 0 ? { url: urlBy(to) } : {}),
        ...(to % 2 === 0 || world.nodes.length === 0 ? {} : { parent: anyOf(world.nodes, to) })
      }),
      keeping(world.nodes)
    ),
  showNode: (world, { of, person, to }) =>
    done(person.patch(`/nodes/${idBy(world.nodes, of)}/visibility`, { visibility: anyOf(visibilities, to) })),
  changeNode: (world, { of, person, to }) =>
    done(person.patch(`/nodes/${idBy(world.nodes, of)}`, { tags: tagsBy(to), url: urlBy(to) })),
  moveNode: (world, { of, person, to }) => {
    const [node, parent] = [idBy(world.nodes, of), idBy(world.nodes, to)]
    const move = person.put(`/nodes/${parent}/nodes/${node}`)
    return done(to % 4 === 0 ? person.patch(`/nodes/${node}/position`, { parent: null }) : move)
  },
  /** Sets all values of a page, of a field that it has not yet as well; at times, without one of its fields. */
  describe: (world, { of, person, to }) =>
    Effect.gen(function* () {
      const path = `/nodes/${idBy(world.nodes, of)}`
      // Who manages the library may change pages that they do not read.
      const page = made(yield* person.get(path))
      if (page === undefined) return
      const known: ReadonlyArray<Json> = page.properties
      const kept = to % 7 === 0 ? known.slice(1) : known
      const name = anyOf(fieldNames, to)
      const properties = [
        ...kept.map(({ fid }, index) => ({ fid, name: "", value: valueBy(to + index) })),
        ...(known.some((field) => field.name === name) ? [] : [{ name, type: "text", value: valueBy(to) }])
      ]
      made(yield* person.patch(`${path}/properties`, { properties }))
    }),
  deleteNode: (world, { of, person }) => done(person.delete(`/nodes/${idBy(world.nodes, of)}`)),
  draft: (world, { of, person, to }) => {
    const node = anyOf(world.nodes, of)
    if (node === undefined) return Effect.void
    return Effect.map(person.post(`/nodes/${node}/versions`, { content: bodyBy(world, to) }), (answer) => {
      const json = made(answer)
      if (json !== undefined) world.versions.push({ id: json.id, node })
    })
  },
  apply: (world, { of, person }) => {
    const { id, node } = anyOf(world.versions, of) ?? { id: nobody, node: nobody }
    return done(person.patch(`/nodes/${node}/versions/${id}/status`, { status: "applied" }))
  },
  deleteDraft: (world, { of, person }) => {
    const { id, node } = anyOf(world.versions, of) ?? { id: nobody, node: nobody }
    return done(person.delete(`/nodes/${node}/versions/${id}`))
  }
} satisfies Readonly<Record<string, Step>>

const all = { ...discussion, ...library, ...together, ...people }

export type StepName = keyof typeof all

const often: Partial<Record<StepName, number>> = {
  open: 6,
  reply: 9,
  show: 6,
  like: 7,
  react: 4,
  write: 6,
  showNode: 5,
  describe: 6,
  moveNode: 2,
  collect: 7,
  draft: 4,
  apply: 3,
  read: 4,
  takePart: 3,
  follow: 2,
  report: 2,
  announce: 2,
  showEvent: 2,
  gather: 2,
  promote: 3
}

/** Every step, as many times as it is likely. */
export const stepNames: ReadonlyArray<StepName> = Object.keys(all)
  .filter((name): name is StepName => name in all)
  .flatMap((name) => Array.from({ length: often[name] ?? 1 }, () => name))

export const take = (world: World, name: StepName, chosen: Chosen) => all[name](world, chosen)
