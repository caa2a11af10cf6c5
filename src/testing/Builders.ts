/** What tests begin with: accounts, categories, threads and pages, made through the API as people make them. */
import { Context, Effect, Record } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import * as Client from "../client/Client.ts"
import { type PluginApi, promisedBy } from "../client/plugin/PluginApi.ts"
import type { CategoryId } from "../domain/shared/Id.ts"
import type { Gate } from "./Gate.ts"

/** How many of a thing one call makes at most. */
export const makesMax = 10_000

/** Somebody who is signed in. */
export interface Account {
  readonly id: string
  readonly handle: string
  readonly password: string
  /** The operations as this account, as effects. */
  readonly client: Client.Client
  /** The operations as this account, as promises. */
  readonly api: PluginApi
  /** The headers that identify this account, for requests that the test sends itself. */
  readonly headers: { readonly cookie: string }
}

export interface CategoryOptions {
  readonly name?: string
  readonly description?: string
}

export interface ThreadOptions {
  readonly title?: string
  readonly body?: string
  readonly by?: Account
  readonly category?: { readonly id: CategoryId }
  readonly tags?: ReadonlyArray<string>
  /** How many replies it gets, by members in turn. */
  readonly replies?: number
}

export interface PageOptions {
  readonly name?: string
  readonly content?: string
  readonly parent?: { readonly slug: string }
  /** How many pages it contains. */
  readonly children?: number
}

const password = "a password of a test"

interface Session {
  cookie: string
}

/** The session of whoever calls an operation. */
const CurrentSession = Context.Reference<Session>("forum/testing/Session", {
  defaultValue: () => ({ cookie: "" })
})

/** Keeps a session itself: for a jar of cookies, which goes by the clock on the wall, one of a forum in the past is over. */
const fetchingIn =
  (session: Session): typeof fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers)
    if (session.cookie !== "") headers.set("cookie", session.cookie)
    const response = await fetch(input, { ...init, headers, redirect: "manual" })
    const set = response.headers.getSetCookie().find((one) => one.startsWith("forum-session="))
    if (set !== undefined) session.cookie = set.split(";", 1)[0] ?? ""
    return response
  }

/** A client of everybody, as one takes hundreds of milliseconds to make. */
const makeClient = (baseUrl: URL) =>
  Client.make({ baseUrl }).pipe(
    Effect.updateService(
      HttpClient.HttpClient,
      HttpClient.transform((response) =>
        Effect.flatMap(CurrentSession, (session) =>
          Effect.provideService(response, FetchHttpClient.Fetch, fetchingIn(session))
        )
      )
    ),
    Effect.provide(FetchHttpClient.layer)
  )

type AnyMethod = (request?: object) => Effect.Effect<unknown, unknown>

/** The same client with a session of its own. */
const clientIn = (client: Client.Client, session: Session): Client.Client => {
  // What is done to a method does not depend on which it is, so it is written without their types.
  const groups = client as unknown as Readonly<Record<string, Readonly<Record<string, AnyMethod>>>>
  const own = Record.map(groups, (group) =>
    Record.map(
      group,
      (method): AnyMethod =>
        (...request) =>
          Effect.provideService(method(...request), CurrentSession, session)
    )
  )
  return own as unknown as Client.Client
}

const checkCount = (count: number) =>
  Number.isSafeInteger(count) && count >= 0 && count <= makesMax
    ? Effect.void
    : Effect.die(new Error(`A number from 0 to ${makesMax} is made at once, not ${count}`))

/** Signs an account up. */
const signUpBy = Effect.fnUntraced(function* (everybody: Effect.Effect<Client.Client>, handle: string) {
  const session: Session = { cookie: "" }
  const client = clientIn(yield* everybody, session)
  const { id } = yield* client.auth.signUp({ payload: { identifier: handle, token: password } })
  const account: Account = {
    id,
    handle,
    password,
    client,
    api: promisedBy(() => Promise.resolve(client)),
    headers: { cookie: session.cookie }
  }
  return account
})

export const makeBuilders = Effect.fnUntraced(function* (url: URL, gate: Gate) {
  const everybody = yield* Effect.cached(makeClient(url))
  const signUp = (handle: string) => signUpBy(everybody, handle)
  const counts = new Map<string, number>()
  const members: Array<Account> = []
  let first: Account | undefined

  const nextNumber = (what: string) => {
    const next = (counts.get(what) ?? 0) + 1
    counts.set(what, next)
    return next
  }

  /** The administrator, who signs up first. */
  const administrator = Effect.suspend(() =>
    first === undefined
      ? Effect.tap(signUp("first"), (account) =>
          Effect.sync(() => {
            first = account
          })
        )
      : Effect.succeed(first)
  )

  const accounts = Effect.fnUntraced(function* (count: number) {
    yield* checkCount(count)
    yield* administrator
    const made: Array<Account> = []
    for (let n = 0; n < count; n++) made.push(yield* signUp(`member${nextNumber("member")}`))
    members.push(...made)
    return made
  })

  /** Members who write what nobody in particular writes. */
  const writers = Effect.suspend(() =>
    members.length >= 3 ? Effect.void : accounts(3 - members.length)
  ).pipe(Effect.map(() => members.slice(0, 3)))

  const category = Effect.fnUntraced(function* ({ description = "", name }: CategoryOptions = {}) {
    const { client } = yield* administrator
    return yield* client.categories.create({
      payload: { name: name ?? `Category ${nextNumber("category")}`, description, colour: "#8fbc8f" }
    })
  })

  const thread = Effect.fnUntraced(function* (options: ThreadOptions = {}) {
    const { body = "<p>What do you think?</p>", by, category: within, replies = 0, tags, title } = options
    yield* checkCount(replies)
    const people = yield* writers
    const author = by ?? people[0] ?? (yield* administrator)
    const made = yield* author.client.threads.create({
      payload: {
        title: title ?? `Thread ${nextNumber("thread")}`,
        body,
        visibility: "published",
        ...(within === undefined ? {} : { category: within.id }),
        ...(tags === undefined ? {} : { tags })
      }
    })
    for (let n = 1; n <= replies; n++) {
      const { client } = people[n % people.length] ?? author
      yield* client.replies.reply({
        params: { thread_mark: made.id },
        payload: { body: `<p>Reply ${n}</p>` }
      })
    }
    return yield* author.client.threads.get({ params: { thread_mark: made.id } })
  })

  const page = Effect.fnUntraced(function* (options: PageOptions = {}) {
    const { children = 0, content = "<p>What is known.</p>", name, parent } = options
    yield* checkCount(children)
    const { client } = yield* administrator
    const make = (called: string, within: string | undefined) =>
      client.nodes.create({
        payload: {
          name: called,
          content,
          visibility: "published",
          ...(within === undefined ? {} : { parent: within })
        }
      })
    const made = yield* make(name ?? `Page ${nextNumber("page")}`, parent?.slug)
    for (let n = 1; n <= children; n++) yield* make(`${made.name}, part ${n}`, made.slug)
    return yield* client.nodes.get({ params: { node_slug: made.slug } })
  })

  return {
    /** The administrator, who is the first account of a forum. */
    administrator: () => gate.together(administrator),
    /** A member with this handle. */
    account: (handle: string) => gate.together(Effect.andThen(administrator, signUp(handle))),
    /** So many members. */
    accounts: (count: number) => gate.together(accounts(count)),
    /** A category, made by the administrator. */
    category: (options?: CategoryOptions) => gate.together(category(options)),
    /** A published thread, as its first page of replies shows it. */
    thread: (options?: ThreadOptions) => gate.together(thread(options)),
    /** A published page of the library, made by the administrator. */
    page: (options?: PageOptions) => gate.together(page(options)),
    forget: () => {
      counts.clear()
      members.length = 0
      first = undefined
    }
  }
})
