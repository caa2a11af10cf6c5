/**
 * The floor that is written by hand: the same facts as the service's answers,
 * from as few plain statements as possible. It checks nothing.
 */
import { createHash } from "node:crypto"
import type { Driver, Query } from "./floorDriver.ts"
import type {
  CategoryRow,
  LinkRow,
  OwnRow,
  PersonRow,
  PostRow,
  ReactRow,
  RoleRow,
  TagRow,
  ThreadRow
} from "./floorRows.ts"
import { type Belongings, categoryOf, pageOf, peopleOf, replyOf, threadOf } from "./floorShapes.ts"
import * as Statements from "./floorStatements.ts"
import { sessionToken, threads } from "./seed.ts"

const token = createHash("sha256").update(sessionToken).digest()

const readCaller = (query: Query) => query<PersonRow>(Statements.caller, [token])

const readRoles = (query: Query) => query<RoleRow>(Statements.roles, [])

const idsOf = (rows: ReadonlyArray<{ readonly id: string }>) => rows.map(({ id }) => id)

const byId = <Row extends { readonly id: string }>(rows: ReadonlyArray<Row>) =>
  new Map(rows.map((row) => [row.id, row]))

type Viewer = PersonRow | undefined

/** What belongs to these posts, each kind by one statement; a guest likes nothing. */
const readBelongings = async (
  query: Query,
  posts: ReadonlyArray<PostRow>,
  roles: ReadonlyArray<RoleRow>,
  viewer: Viewer
): Promise<Belongings> => {
  const ids = idsOf(posts)
  const [reacts, links, likes] = await Promise.all([
    query<ReactRow>(Statements.reacts, [ids]),
    query<LinkRow>(Statements.links, [ids]),
    viewer === undefined ? [] : query<{ readonly post_id: string }>(Statements.likes, [ids, viewer.id])
  ])
  const people = new Set(posts.map(({ author_id }) => author_id))
  for (const { account_id } of reacts) people.add(account_id)
  return {
    reacts: Map.groupBy(reacts, ({ post_id }) => post_id),
    links: Map.groupBy(links, ({ post_id }) => post_id),
    liked: new Set(likes.map(({ post_id }) => post_id)),
    people: peopleOf(await query<PersonRow>(Statements.peopleById, [[...people]]), roles)
  }
}

/** What belongs to these threads besides what belongs to their posts. */
const readOfThreads = async (query: Query, threads: ReadonlyArray<ThreadRow>, viewer: Viewer) => {
  const ids = idsOf(threads)
  const wanted = new Set(threads.map(({ category_id }) => category_id))
  const [tags, categories, own] = await Promise.all([
    query<TagRow>(Statements.tags, [ids]),
    query<CategoryRow>(Statements.categories, [[...wanted]]),
    viewer === undefined ? [] : query<OwnRow>(Statements.own, [ids, viewer.id])
  ])
  return {
    tags: Map.groupBy(tags, ({ thread_id }) => thread_id),
    categories: byId(categories.map(categoryOf)),
    own: byId(own)
  }
}

const threadPage = async (query: Query, id: string, isGuest: boolean) => {
  const [[viewer], roles, [thread], replies] = await Promise.all([
    isGuest ? [] : readCaller(query),
    readRoles(query),
    query<ThreadRow>(Statements.thread, [id]),
    query<PostRow>(Statements.replies, [id])
  ])
  if (thread === undefined) throw new Error(`There is no thread ${id}`)
  const [belongings, ofThreads] = await Promise.all([
    readBelongings(query, [thread, ...replies], roles, viewer),
    readOfThreads(query, [thread], viewer)
  ])
  return {
    ...threadOf(thread, { ...belongings, ...ofThreads }),
    recomentations: [],
    replies: {
      ...pageOf(thread.reply_count, replies.length, 1),
      replies: replies.map((reply) => replyOf(reply, thread, belongings))
    }
  }
}

const list = async (query: Query, page: number) => {
  const [[viewer], roles, found, [total]] = await Promise.all([
    readCaller(query),
    readRoles(query),
    // The last page is the first one from the other end.
    query<ThreadRow>(Statements.list(page === 1 ? "desc" : ""), []),
    query<{ readonly published: number }>(Statements.total, [])
  ])
  const ordered = page === 1 ? found : found.toReversed()
  const [belongings, ofThreads] = await Promise.all([
    readBelongings(query, ordered, roles, viewer),
    readOfThreads(query, ordered, viewer)
  ])
  return {
    ...pageOf(total?.published ?? 0, ordered.length, page),
    threads: ordered.map((thread) => threadOf(thread, { ...belongings, ...ofThreads }))
  }
}

interface RootRow {
  readonly id: string
  readonly author_id: string
  readonly replies_made: number
  readonly title: string
  readonly slug: string
}

const text = "A reply of ordinary length, as people write them."

let replies = 0
const nextId = () =>
  `f${process.pid.toString(16).padStart(7, "0")}${(replies++).toString(16).padStart(11, "0")}0`

const reply = async ({ query, transaction }: Driver, threadId: string) => {
  const [caller, roles] = await Promise.all([readCaller(query), readRoles(query)])
  const author = caller[0]?.id ?? ""
  const at = new Date()
  const post = {
    id: nextId(),
    author_id: author,
    created_at: at,
    updated_at: at,
    visibility: "published",
    body: `<body><p>${text}</p></body>`,
    description: text,
    meta: {},
    like_count: 0
  }
  const root = await transaction(async (query) => {
    const [root] = await query<RootRow>(Statements.countReply, [threadId, at])
    if (root === undefined) throw new Error(`There is no thread ${threadId}`)
    const event = {
      _tag: "ThreadReplyCreated",
      thread_id: threadId,
      reply_id: post.id,
      thread_author_id: root.author_id,
      reply_author_id: author
    }
    await Promise.all([
      query(Statements.participate, [threadId, author]),
      query(Statements.insertReply, [post.id, threadId, root.replies_made, author, at, post.body, text]),
      query(Statements.appendEvent, [at, author, JSON.stringify(event)])
    ])
    return root
  })
  return replyOf(post, root, {
    people: peopleOf(caller, roles),
    reacts: new Map(),
    links: new Map(),
    liked: new Set()
  })
}

/** Pages by name; those of a thread take its id. */
export const pages: Readonly<Record<string, (driver: Driver, id: string) => Promise<unknown>>> = {
  version: async () => "0.1.0",
  guest: ({ query }, id) => threadPage(query, id, true),
  member: ({ query }, id) => threadPage(query, id, false),
  first: ({ query }) => list(query, 1),
  last: ({ query }) => list(query, threads / 50),
  reply,
  nodes: ({ query }, id) => Promise.all([query(Statements.nodes, [id]), query(Statements.nodeValues, [id])]),
  replies: ({ query }, id) => query(Statements.replies, [id]),
  threads: ({ query }) => query(Statements.list("desc"), [])
}
