/** A service of this contract in a process of its own, filled as people would fill it, and what it answers. */
import { once } from "node:events"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../process/support.ts"
import { type Answer, sessionOf } from "../../support/answers.ts"
import { startService } from "../../support/child.ts"
import { sendTo } from "../../support/raw.ts"
import { directory } from "../backups.ts"

/** Runs the service over a database, as long as the scope is open. */
export const serving = (url: string, dataDir: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const { listening, process: child } = startService({ DATABASE_URL: url, DATA_DIR: dataDir })
        return { child, port: await listening() }
      }),
      ({ child }) =>
        Effect.promise(async () => {
          const closed = once(child, "close")
          child.kill("SIGTERM")
          await closed
        })
    ),
    ({ port }) => port
  )

type Body = Readonly<Record<string, unknown>> | Uint8Array

/** Asks with a cookie, or as a guest. Fails with whatever is no success. */
export const asking =
  (port: number, cookie?: string) =>
  async (method: string, path: string, body?: Body): Promise<Answer["json"]> => {
    const isBytes = body instanceof Uint8Array
    const answer = await sendTo(port, {
      method,
      path: `/api${path}`,
      headers: {
        ...(cookie === undefined ? {} : { cookie: `forum-session=${cookie}` }),
        ...(body === undefined
          ? {}
          : { "content-type": isBytes ? "application/octet-stream" : "application/json" })
      },
      ...(body === undefined ? {} : { body: isBytes ? body : JSON.stringify(body) })
    })
    if (answer.status >= 300) throw new Error(`${answer.request} answers ${answer.status}: ${answer.text}`)
    return answer.json
  }

export type Ask = ReturnType<typeof asking>

const signUp = async (port: number, identifier: string) => {
  const answer = await sendTo(port, {
    method: "POST",
    path: "/api/auth/password/signup",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ identifier, token: "correct horse battery staple" })
  })
  const cookie = sessionOf(answer)
  if (cookie === undefined) throw new Error(answer.text)
  return { id: String(answer.json.id), ask: asking(port, cookie) }
}

// The smallest image that says how large it is.
const image = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

/** More than a page has. */
export const replyCount = 53

const fillThreads = async (odin: Ask, freya: Ask, loki: Ask, freyaId: string) => {
  const places = await odin("POST", "/categories", { name: "Places", description: "Where", colour: "teal" })
  const harbours = await odin("POST", "/categories", {
    name: "Harbours",
    description: "",
    colour: "",
    parent: places.id,
    meta: { nested: { deep: [1, null] } }
  })
  const note = await freya("POST", "/assets?filename=note.txt", Buffer.from("The bytes of a note"))
  const main = await freya("POST", "/threads", {
    title: "Boats & ropes",
    visibility: "published",
    category: harbours.id,
    tags: ["boats", "ropes"],
    url: "https://example.invalid/about",
    meta: { from: "a test" },
    body: `<p>See <a href="/api/assets/${note.filename}">the note</a>, <a href="sdr:profile/${freyaId}">me</a> and <a href="https://example.invalid/shown">that</a></p>`
  })
  const replies: Array<string> = []
  for (let number = 0; number < replyCount; number += 1) {
    const by = [odin, freya, loki][number % 3] ?? odin
    const reply = await by("POST", `/threads/${main.id}/replies`, {
      body: `<p>Reply <strong>${number}</strong></p>`,
      ...(number === 2 ? { reply_to: replies[0] } : {}),
      ...(number === 3 ? { reply_to: main.id } : {})
    })
    replies.push(reply.id)
  }
  const [first = "", second = "", third = "", fourth = ""] = replies
  await odin("PATCH", `/posts/${third}`, { visibility: "review" })
  await odin("DELETE", `/posts/${fourth}`)
  await loki("PUT", `/likes/posts/${main.id}`)
  await odin("PUT", `/likes/posts/${main.id}`)
  await freya("PUT", `/likes/posts/${second}`)
  await loki("PUT", `/posts/${first}/reacts`, { emoji: "👍" })
  await odin("PUT", `/posts/${main.id}/reacts`, { emoji: "🎉" })
  const pinned = await odin("POST", "/threads", {
    title: "Rules",
    visibility: "published",
    pinned: 3,
    body: "<p>Be kind</p>"
  })
  await odin("POST", "/threads", { title: "Aside", visibility: "unlisted", body: "<p>Only by address</p>" })
  const held = await loki("POST", "/threads", { title: "Held", visibility: "published", body: "<p>Hm</p>" })
  await odin("PATCH", `/threads/${held.id}`, { visibility: "review" })
  await odin("POST", "/threads", { title: "My draft", body: "<p>Not yet</p>" })
  await freya("POST", "/threads", { title: "Her draft", body: "<p>Secret</p>" })
  return {
    main: String(main.id),
    first,
    pinned: String(pinned.id),
    category: String(places.id),
    note,
    slug: String(main.slug)
  }
}

const fillLibrary = async (odin: Ask) => {
  const top = await odin("POST", "/nodes", {
    name: "Fish",
    visibility: "published",
    content: "<p>All of them</p>"
  })
  const cod = await odin("POST", "/nodes", {
    name: "Cod",
    visibility: "published",
    parent: top.slug,
    tags: ["boats"],
    properties: [{ name: "Weight", type: "number", value: "12" }]
  })
  await odin("POST", "/nodes", { name: "Eel", parent: top.slug })
  const hidden = await odin("POST", "/nodes", {
    name: "Deep",
    visibility: "published",
    hide_child_tree: true
  })
  await odin("POST", "/nodes", { name: "Angler", visibility: "published", parent: hidden.slug })
  return { cod: String(cod.id) }
}

const fillRest = async (
  odin: Ask,
  freya: Ask,
  ids: Readonly<Record<"category" | "first" | "main" | "cod" | "freya" | "loki", string>>
) => {
  const collection = await freya("POST", "/collections", { name: "Worth keeping", description: "All of it" })
  await freya("PUT", `/collections/${collection.id}/posts/${ids.main}`)
  await freya("PUT", `/collections/${collection.id}/posts/${ids.first}`)
  await freya("PUT", `/collections/${collection.id}/nodes/${ids.cod}`)
  const picture = await odin("POST", "/assets?filename=quay.png", image)
  const event = await odin("POST", "/events", {
    name: "Regatta",
    content: "<p>Bring a boat</p>",
    time_range: { start: "2030-01-02T10:00:00Z", end: "2030-01-02T12:00:00Z" },
    participation_policy: "open",
    visibility: "published",
    thread_category_id: ids.category,
    capacity: 5,
    primary_image_asset_id: picture.id,
    location: { location_type: "physical", name: "The quay" }
  })
  await freya("PUT", `/events/${event.id}/participants/${ids.freya}`, {})
  await freya("POST", "/links", {
    url: "https://example.invalid/added",
    title: "Added",
    description: "By hand"
  })
  return { collection: String(collection.id), event: String(event.id), eventThread: String(event.thread.id) }
}

/** Fills a service. Answers what it is asked for afterwards. */
export const fill = async (port: number) => {
  const odin = await signUp(port, "odin")
  const freya = await signUp(port, "freya")
  const loki = await signUp(port, "loki")
  await freya.ask("PATCH", "/accounts", {
    name: "Freya Njörðsdóttir",
    bio: "<p>I <strong>sail</strong></p>",
    signature: "fair winds",
    interests: ["boats"],
    links: [{ text: "Home", url: "https://freya.example/" }],
    meta: { colour: "blue" }
  })
  await loki.ask("POST", "/accounts/self/avatar", image)
  await freya.ask("PUT", "/profiles/odin/followers")
  await freya.ask("PUT", "/profiles/loki/followers")
  const helper = await odin.ask("POST", "/roles", {
    name: "Helper",
    colour: "teal",
    permissions: ["MANAGE_POSTS", "USE_PERSONAL_ACCESS_KEYS"]
  })
  const guide = await odin.ask("POST", "/roles", { name: "Guide", colour: "", permissions: [] })
  await odin.ask("PUT", `/accounts/freya/roles/${helper.id}`)
  await odin.ask("PUT", `/accounts/freya/roles/${guide.id}`)
  await odin.ask("PUT", `/accounts/freya/roles/${helper.id}/badge`)
  const threads = await fillThreads(odin.ask, freya.ask, loki.ask, freya.id)
  const library = await fillLibrary(odin.ask)
  const rest = await fillRest(odin.ask, freya.ask, { ...threads, ...library, freya: freya.id, loki: loki.id })
  const key = await odin.ask("POST", "/auth/access-keys", { name: "Move" })
  const hers = await freya.ask("POST", "/auth/access-keys", { name: "Hers" })
  await odin.ask("POST", "/admin/bans/loki")
  return {
    ...threads,
    ...rest,
    odin,
    freya,
    loki,
    key: Redacted.make(String(key.secret)),
    hers: Redacted.make(String(hers.secret))
  }
}

/** A filled service, with its database and files. */
export const filledService = Effect.gen(function* () {
  const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
  const port = yield* serving(url, dataDir)
  const filled = yield* Effect.promise(() => fill(port))
  return { ...filled, url, dataDir, port, address: `http://127.0.0.1:${port}` }
})
