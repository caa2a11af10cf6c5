/** Of changes of people and links, only those that a page shows make its `ETag` another. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { page } from "../library/propertySupport.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import { etagOf } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, type Person, reinstate, signUp, suspend } from "../support/people.ts"

type Change = readonly [string, Effect.Effect<unknown, unknown, HttpClient.HttpClient | SqlClient.SqlClient>]

const rename = (who: Person, name: string) => Effect.map(who.patch("/accounts", { name }), ok)

const retitle = (url: string, title: string) =>
  SqlClient.SqlClient.use((sql) => sql`update links set title = ${title} where url = ${url}`)

/** Asserts of each of some changes whether it makes the tag of a path another. */
const assertChanges = Effect.fnUntraced(function* (
  path: string,
  expected: boolean,
  changes: ReadonlyArray<Change>
) {
  for (const [what, change] of changes) {
    const before = yield* etagOf(guest, path)
    yield* change
    assert.strictEqual((yield* etagOf(guest, path)) !== before, expected, what)
  }
})

layer(People.layer)("what others change", (it) => {
  it.effect("makes a thread another where it shows it, and only there", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const [stranger, reactor] = [yield* signUp("stranger"), yield* signUp("reactor")]
      const [role, unused] = [yield* grant(odin), yield* grant(odin)]
      const thread = yield* open(freya, "Watched", { url: "https://about.test/" })
      const answer = yield* reply(loki, thread.id, "<a href='https://in.test/'>in</a>")
      yield* reply(tyr, thread.id, "quoted", { reply_to: answer.id })
      ok(yield* reactor.put(`/posts/${answer.id}/reacts`, { emoji: "🎉" }))
      const other = yield* open(stranger, "Elsewhere", { url: "https://other.test/" })
      yield* reply(stranger, other.id, "<a href='https://more.test/'>more</a>")
      const path = `/threads/${thread.id}`
      yield* assertChanges(path, true, [
        ["its author's name", rename(freya, "Freyja")],
        ["the name of who replied", rename(loki, "Loke")],
        ["the name of who replied to a reply", rename(tyr, "Ty")],
        ["the name of who reacted", rename(reactor, "Reactor")],
        ["a signature", loki.patch("/accounts", { signature: "<p>L</p>" })],
        ["a suspension", suspend(loki)],
        ["its end", reinstate(loki)],
        ["a role of who replied", odin.put(`/accounts/loki/roles/${role}`)],
        ["its badge", odin.put(`/accounts/loki/roles/${role}/badge`)],
        ["no badge", odin.delete(`/accounts/loki/roles/${role}/badge`)],
        ["no role", odin.delete(`/accounts/loki/roles/${role}`)],
        ["the name of a role", odin.patch(`/roles/${unused}`, { name: "Another" })],
        ["a role that is deleted", odin.delete(`/roles/${unused}`)],
        ["what is known of its link", retitle("https://about.test/", "About")],
        ["what is known of the link of a reply", retitle("https://in.test/", "In")]
      ])
      yield* assertChanges(path, false, [
        ["the name of a stranger", rename(stranger, "Somebody")],
        ["a stranger's suspension", suspend(stranger)],
        ["its end", reinstate(stranger)],
        ["a stranger's role", odin.put(`/accounts/stranger/roles/${role}`)],
        ["a new account", signUp("newcomer")],
        ["what is known of another's link", retitle("https://other.test/", "Other")],
        ["what is known of the link of another's reply", retitle("https://more.test/", "More")]
      ])
      yield* assertChanges(path, true, [
        [
          "a link of an edited reply",
          loki.patch(`/posts/${answer.id}`, { body: "<a href='https://late.test/'>late</a>" })
        ],
        ["what is known of it", retitle("https://late.test/", "Late")]
      ])
    })
  )

  it.effect("makes a page another where it shows it, and only there", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const visible = { visibility: "published" }
      const role = yield* grant(loki, "MANAGE_LIBRARY")
      const above = yield* page(loki, "Over it", { ...visible, url: "https://above.test/" })
      const node = yield* page(odin, "Shown page", {
        ...visible,
        parent: above.slug,
        url: "https://node.test/"
      })
      const child = yield* page(freya, "Below it", { parent: node.slug, url: "https://child.test/" })
      ok(yield* odin.patch(`/nodes/${child.id}/visibility`, visible))
      yield* page(odin, "Far away", { ...visible, url: "https://far.test/" })
      const path = `/nodes/${node.id}`
      yield* assertChanges(path, true, [
        ["its owner's name", rename(odin, "Wotan")],
        ["the name of the owner above", rename(loki, "Logi")],
        ["the name of a child's owner", rename(freya, "Frea")],
        ["the colour of a role", odin.patch(`/roles/${role}`, { colour: "red" })],
        ["its link", retitle("https://node.test/", "Node")],
        ["the link above", retitle("https://above.test/", "Above")],
        ["the link of a child", retitle("https://child.test/", "Child")]
      ])
      yield* assertChanges(path, false, [
        ["another's name", rename(tyr, "Tiw")],
        ["another page's link", retitle("https://far.test/", "Far")]
      ])
    })
  )

  it.effect("makes threads with many people or links another, whoever and whatever it is", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const outsider = yield* signUp("outsider")
      const busy = yield* open(freya, "Busy")
      const linked = yield* open(freya, "Linked")
      const take = (thread: string, first: number, last: number) =>
        sql`insert into thread_participants (thread_id, account_id, replies)
          select ${thread}, 'crowd' || lpad(n::text, 15, '0'), 1 from generate_series(${first}::int, ${last}::int) n`
      yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, name)
        select 'crowd' || lpad(n::text, 15, '0'), now(), now(), 'crowd' || n, 'crowd' || n, 'n' from generate_series(1, 33) n`
      const links = (first: number, last: number) =>
        Array.from(
          { length: last - first + 1 },
          (_, n) => `<a href="https://l${first + n}.test/">l</a>`
        ).join(" ")
      yield* open(loki, "Another link", { url: "https://outside.test/" })
      yield* take(busy.id, 1, 32)
      yield* reply(loki, linked.id, links(1, 32))
      const [path, other] = [`/threads/${busy.id}`, `/threads/${linked.id}`]
      yield* assertChanges(path, false, [["one of others beside 32", rename(outsider, "Out")]])
      yield* assertChanges(other, false, [["one of others beside 32", retitle("https://outside.test/", "1")]])
      yield* assertChanges(path, true, [
        ["the 32nd", sql`update accounts set name = 'm' where handle = 'crowd32'`],
        ["the 33rd", take(busy.id, 33, 33)],
        ["one of others beside 33", rename(outsider, "In")],
        ["the 33rd's name", sql`update accounts set name = 'm' where handle = 'crowd33'`]
      ])
      yield* assertChanges(other, true, [
        ["the 32nd link", retitle("https://l32.test/", "32")],
        ["the 33rd", reply(odin, linked.id, links(33, 33))],
        ["one of others beside 33", retitle("https://outside.test/", "2")]
      ])
    })
  )
})
