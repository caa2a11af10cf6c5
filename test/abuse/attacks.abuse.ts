/** What strangers do to a service on the internet. While it lasts, everybody else is served. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import {
  attack,
  call,
  flood,
  hold,
  memoryOf,
  openLongThread,
  somebodyElse,
  startTarget,
  type Target,
  untilMemoryReturns
} from "./harness.ts"

let running: Target
let atStart = 0
let long = ""
const target = () => running

beforeAll(async () => {
  running = await startTarget()
  // The code that reads the thread is loaded and compiled.
  await flood(running, 4, () => ({ path: `/api/threads/${running.thread}` }))
  atStart = memoryOf(running)
  long = await openLongThread(running, 50)
})

afterAll(async () => {
  assert.strictEqual(await running.stop(), 0)
})

const get = (path: string, headers = "") => `GET ${path} HTTP/1.1\r\nHost: forum.test\r\n${headers}\r\n`

const post = (path: string, length: number, type: string, headers = "") =>
  `POST ${path} HTTP/1.1\r\nHost: forum.test\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n${headers}\r\n`

describe("everybody else is served while", () => {
  attack("50,000 requests are sent at once on one connection, and no answer is read", target, (target) =>
    hold(target, 1, () => [get("/api/threads").repeat(50_000)])
  )

  attack("heavy pages are requested on many connections, and no answer is read", target, (target) =>
    hold(target, 20, () => [get(`/api/threads/${target.thread}`).repeat(2000)])
  )

  attack("a page of long replies is requested on many connections, and no answer is read", target, (target) =>
    hold(target, 40, () => [get(`/api/threads/${long}`).repeat(20)])
  )

  attack("a thousand connections send a byte of a request", target, (target) =>
    hold(target, 1000, () => ["G"])
  )

  attack("uploads stop half-way", target, (target) =>
    hold(target, 200, () => [
      post("/api/auth/password/signup", 1_000_000, "application/json"),
      `{"identifier":"${"x".repeat(900_000)}`
    ])
  )

  attack("signals of 49 MiB are sent", target, (target) =>
    flood(target, 4, () => ({
      method: "POST",
      path: "/api/beacon",
      headers: { "content-type": "text/plain" },
      body: '{"k":"thread","id":['.padEnd(49 * 1024 * 1024, "[")
    }))
  )

  const markup = [
    "<b>".repeat(300_000),
    "<a><p>".repeat(150_000),
    "<table>".repeat(140_000),
    `<p ${"x ".repeat(480_000)}>`,
    "&amp".repeat(240_000),
    "<svg><math>".repeat(90_000),
    "x ".repeat(500_000)
  ]
  attack("hostile markup is posted", target, (target) =>
    flood(target, 8, (n) => ({
      method: "POST",
      path: `/api/threads/${target.spare}/replies`,
      headers: target.member,
      body: { body: markup[n % markup.length] }
    }))
  )

  attack("searches are made that no index helps", target, (target) =>
    flood(target, 32, (n) => ({
      path: `/api/threads?q=${["%_ a e".repeat(20), "a".repeat(199)][n % 2]}${n % 10}`.replaceAll("%", "%25")
    }))
  )

  attack("long lists of nothing are sent", target, (target) =>
    flood(target, 8, () => ({
      method: "PATCH",
      path: "/api/accounts",
      headers: target.member,
      body: `{"links":[${"{},".repeat(300_000)}{}]}`
    }))
  )

  attack("many change one thread", target, (target) =>
    flood(target, 60, (n) => ({
      method: "PATCH",
      path: `/api/threads/${target.spare}`,
      headers: target.member,
      body: { title: `Title ${n}`, tags: [`tag-${n % 7}`] }
    }))
  )

  attack("many sign up and guess passwords", target, async (target) => {
    const flooding = flood(target, 100, (n) => ({
      method: "POST",
      path: n % 2 === 0 ? "/api/auth/password/signup" : "/api/auth/password/signin",
      body: { identifier: n % 2 === 0 ? `guest-${n}` : "member", token: `not the password ${n}` }
    }))
    const start = performance.now()
    const { status } = await call(target.port, {
      agent: somebodyElse,
      method: "POST",
      path: "/api/auth/password/signin",
      body: { identifier: "founder", token: "a long password" }
    })
    assert.strictEqual(status, 200)
    assert.isBelow(performance.now() - start, 2000)
    await flooding
  })

  attack("replies mention thousands", target, (target) =>
    flood(target, 16, () => ({
      method: "POST",
      path: `/api/threads/${target.spare}/replies`,
      headers: target.member,
      body: { body: `<p>${'<a href="sdr:profile/00000000000000000000">@x</a>'.repeat(8000)}</p>` }
    }))
  )

  attack("notifications are read and marked in bulk", target, (target) =>
    flood(target, 32, (n) =>
      n % 2 === 0
        ? { path: `/api/notifications?page=${n}`, headers: target.member }
        : {
            method: "PATCH",
            path: "/api/notifications",
            headers: target.member,
            body: {
              notifications: Array.from({ length: 20_000 }, (_, n) => ({
                id: String(n).padStart(20, "0"),
                status: "read"
              }))
            }
          }
    )
  )

  attack("titles are huge", target, (target) =>
    flood(target, 16, (n) => ({
      method: "POST",
      path: "/api/threads",
      headers: target.member,
      body: { title: "\ufdfa".repeat(n % 2 === 0 ? 10_000 : 255), visibility: "published" }
    }))
  )

  attack("pages are read that are far beyond the end", target, (target) =>
    flood(target, 32, (n) => ({
      path:
        ["/api/threads?page=2147483647", `/api/threads/${target.thread}?page=99999999999999999999`][n % 2] ??
        ""
    }))
  )

  attack("addresses are long and odd", target, (target) =>
    flood(target, 32, (n) => ({
      path:
        [
          `/api/threads/${"a-".repeat(3000)}`,
          `/api/threads?${"tags=a&".repeat(1500)}`,
          `/api/%E0%A4%A/${"%41".repeat(2000)}`
        ][n % 3] ?? ""
    }))
  )
})

describe("when all that is over", () => {
  it("the service answers as before", async () => {
    const { status } = await call(running.port, { path: `/api/threads/${running.thread}` })
    assert.strictEqual(status, 200)
  })

  it("its metrics say how hard-pressed it is", async () => {
    const answer = await fetch(`http://127.0.0.1:${running.port}/metrics`)
    const text = await answer.text()
    for (const name of ["event_loop_delay_seconds", "heap_used_ratio"]) {
      assert.match(text, new RegExp(`^forum_${name}\\b.* [\\d.e-]+$`, "m"))
    }
  })

  it("its memory is what it was, within 60 MB", () => untilMemoryReturns(running, atStart, 60))
})
