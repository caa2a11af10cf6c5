/** The page to come back to from remote servers, where there is no frontend. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { makeVisitor, wayOf } from "../page/visitor.ts"
import { ok } from "../support/answers.ts"
import { call, type Person, query, signUp } from "../support/people.ts"
import { makeRemote } from "../support/remote.ts"
import * as TestApp from "../support/TestApp.ts"
import { authorise, connections, pending, permit } from "./support.ts"

const path = "/oauth/remote/callback"

const remote = makeRemote("archive")

const visitorAs = ({ cookie = "" }: Person) => {
  const visitor = makeVisitor()
  visitor.cookies.set("forum-session", cookie)
  return visitor
}

/** Where a browser comes back to that has gone to the server of a new connection. */
const approved = Effect.fnUntraced(function* (person: Person) {
  for (const { id } of ok(yield* person.get(connections)).connections) {
    yield* person.delete(`${connections}/${id}`)
  }
  const { id } = yield* pending(person, remote)
  return remote.approve(yield* authorise(person, id))
})

const notBegun = "You have not begun this, or too long ago. Begin again."

const same = { publicUrl: new URL("http://forum.test"), webUrl: new URL("http://forum.test") }

layer(TestApp.layerWhere(same))("the page to come back to without a frontend", (it) => {
  it.effect("connects without a script, and says to what", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const brought = yield* approved(odin)
      const page = yield* visitorAs(odin).open(`${path}${query({ ...brought, iss: remote.issuer })}`)
      assert.strictEqual(page.answer.status, 200, page.text)
      assert.deepStrictEqual(page.heading, ["Connected"])
      assert.include(page.text, "This place is now connected to: Archive")
      assert.deepStrictEqual(page.all("script"), [])
      assert.strictEqual(page.answer.headers["cache-control"], "no-store")
      assert.notInclude(page.answer.headers["content-security-policy"] ?? "", "script")
      assert.strictEqual(ok(yield* odin.get(connections)).connections[0].status, "connected")
      // It is used once.
      const again = yield* visitorAs(odin).open(`${path}${query(brought)}`)
      assert.strictEqual(again.answer.status, 400)
      assert.deepStrictEqual(again.alerts, [notBegun])
    })
  )

  it.effect("says why nothing was connected", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin2")
      yield* permit(odin)
      const brought = yield* approved(odin)
      const visitor = visitorAs(odin)
      const refusals: ReadonlyArray<readonly [Readonly<Record<string, string>>, number, string]> = [
        [{ error: "access_denied" }, 400, "The other server did not allow the connection."],
        [{ ...brought, state: "" }, 400, notBegun],
        [{ ...brought, state: "x".repeat(1001) }, 400, notBegun],
        [{ ...brought, state: "<b>" }, 404, notBegun],
        [
          { ...brought, iss: "https://evil.test" },
          400,
          "Another server than the one that you went to has sent you back. Begin again."
        ],
        [{ ...brought, code: "x" }, 400, "The other server gave no access. Begin again."]
      ]
      for (const [parameters, status, text] of refusals) {
        const page = yield* visitor.open(`${path}${query(parameters)}`)
        assert.strictEqual(page.answer.status, status, text)
        assert.deepStrictEqual(page.heading, ["Not connected"])
        assert.deepStrictEqual(page.alerts, [text])
        assert.deepStrictEqual(page.all("b"), [])
      }
    })
  )

  it.effect("is for the account that began, while it may, and signed in", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin3")
      const loki = yield* signUp("loki")
      yield* permit(odin)
      const brought = yield* approved(odin)
      const address = `${path}${query(brought)}`
      const forbidden = yield* visitorAs(loki).open(address)
      assert.strictEqual(forbidden.answer.status, 403)
      assert.deepStrictEqual(forbidden.heading, ["You may not do this"])
      yield* permit(loki)
      const another = yield* visitorAs(loki).open(address)
      assert.strictEqual(another.answer.status, 403)
      assert.deepStrictEqual(another.alerts, [notBegun])
      // Who has signed out meanwhile signs in, and comes back.
      const visitor = makeVisitor()
      assert.strictEqual(wayOf(yield* visitor.ask("GET", address), path), "/login")
      visitor.cookies.set("forum-session", odin.cookie ?? "")
      const way = wayOf(yield* visitor.ask("GET", "/login"), "/login")
      assert.strictEqual(way, address)
      assert.deepStrictEqual((yield* visitor.open(way)).heading, ["Connected"])
    })
  )
})

layer(TestApp.layer)("the page to come back to with a frontend", (it) => {
  it.effect("is that of the frontend", () =>
    Effect.gen(function* () {
      const answer = yield* call("GET", `${path}?state=s&code=c`)
      assert.strictEqual(answer.status, 302)
      assert.strictEqual(answer.headers.location, "http://www.forum.test")
    })
  )
})
