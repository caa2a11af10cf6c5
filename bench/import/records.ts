/** The records of a forum that is imported: as many posts as are wanted, and what comes with them in a forum of that size. */
import type { Kind, kinds } from "../../src/domain/exchange/Kinds.ts"
import { makeTexts, type Texts } from "./texts.ts"

export type RecordOf<K extends Kind> = (typeof kinds)[K]["record"]["Type"]

export interface Size {
  readonly posts: number
  readonly threads: number
}

const idOf = (kind: string, number: number) => `${kind}${number.toString(16).padStart(18, "0")}0`

const begins = Date.UTC(2018, 0, 1)

const at = (second: number) => new Date(begins + second * 1000).toISOString()

const times = (second: number) => ({ created_at: at(second), updated_at: at(second) })

/** How many posts there are for each of these. */
const postsPer = { account: 20, like: 3, reaction: 20, readMark: 10 }
const categoriesMax = 20
const tagsMax = 200

type Emit = <K extends Kind>(kind: K, record: RecordOf<K>) => Promise<void>

interface Making extends Size {
  readonly texts: Texts
  readonly accounts: number
  readonly emit: Emit
}

const accountIn = ({ accounts, texts }: Making) => idOf("a", texts.random(accounts))

const repliesOf = ({ posts, threads }: Size) => posts - threads

const threadOf = (size: Size, reply: number) => Math.floor(reply / Math.ceil(repliesOf(size) / size.threads))

const makePeople = async ({ accounts, emit, texts }: Making) => {
  for (let number = 0; number < tagsMax; number += 1)
    await emit("tags", { id: idOf("g", number), created_at: at(number), name: `tag-${number}` })
  for (let number = 0; number < accounts; number += 1)
    await emit("accounts", {
      id: idOf("a", number),
      ...times(number),
      kind: "human",
      admin: number === 0,
      founder: number === 0,
      handle: `person-${number}`,
      name: texts.name(),
      bio: "<body></body>",
      links: [],
      meta: {},
      verified_status: "none",
      roles: [],
      interests: []
    })
  for (let number = 0; number < categoriesMax; number += 1)
    await emit("categories", {
      id: idOf("c", number),
      ...times(number),
      name: `Category ${number}`,
      slug: `category-${number}`,
      description: "",
      colour: "",
      sort: number,
      meta: {}
    })
}

const makePosts = async (making: Making) => {
  const { emit, texts, threads } = making
  const person = () => accountIn(making)
  for (let number = 0; number < threads; number += 1)
    await emit("threads", {
      id: idOf("t", number),
      ...times(number * 60),
      author_id: person(),
      category_id: idOf("c", texts.random(categoriesMax)),
      visibility: "published",
      pinned: 0,
      title: texts.title(),
      slug: `${idOf("t", number)}-thread`,
      body: texts.body(person),
      meta: {},
      tag_ids: [idOf("g", texts.random(tagsMax))]
    })
  let before = -1
  for (let number = 0; number < repliesOf(making); number += 1) {
    const thread = threadOf(making, number)
    const isFirst = thread !== before
    before = thread
    await emit("replies", {
      id: idOf("r", number),
      ...times(threads * 60 + number * 20),
      thread_id: idOf("t", thread),
      author_id: person(),
      visibility: "published",
      body: texts.body(person),
      meta: {},
      // Half of all replies answer the one before.
      ...(isFirst || texts.random(2) === 0 ? {} : { reply_to_id: idOf("r", number - 1) })
    })
  }
}

/** What people think of posts: each pair of a post and an account once. */
const makeOpinions = async (making: Making) => {
  const { accounts, emit, threads } = making
  const replies = repliesOf(making)
  const about = (number: number, step: number) => ({
    created_at: at(threads * 60 + number),
    post_id: idOf("r", number * step),
    account_id: idOf("a", number % accounts)
  })
  for (let number = 0; number * postsPer.like < replies; number += 1)
    await emit("likes", { id: idOf("k", number), ...about(number, postsPer.like) })
  for (let number = 0; number * postsPer.reaction < replies; number += 1)
    await emit("reactions", { id: idOf("e", number), ...about(number, postsPer.reaction), emoji: "👍" })
  for (let number = 0; number * postsPer.readMark < replies && number < accounts * threads; number += 1)
    await emit("read_marks", {
      account_id: idOf("a", number % accounts),
      thread_id: idOf("t", Math.floor(number / accounts)),
      read_at: at(threads * 60 + number * 20)
    })
}

/** Gives all records in the order of an export. */
export const makeRecords = async ({ posts, threads }: Size, emit: Emit) => {
  const accounts = Math.max(10, Math.ceil(posts / postsPer.account))
  const making = { posts, threads, accounts, texts: makeTexts(posts), emit }
  await makePeople(making)
  await makePosts(making)
  await makeOpinions(making)
}
