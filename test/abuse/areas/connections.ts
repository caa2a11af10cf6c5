/** Requests that are odd whatever they ask for. */
import { assert } from "vitest"
import { flood, fromMany, get, hold, post, trickle } from "../clients.ts"
import { answered, attack, print, whileOthersWrite } from "../harness.ts"
import { growthDuring, openLongThread, type Target } from "../target.ts"

/** Paths of every kind: JSON, files, forms, signals, none, and of guests, who are refused at once. None ends a session. */
const kinds = [
  ["/api/auth/password/signin", "application/json"],
  ["/api/threads", "application/json"],
  ["/api/assets", "application/octet-stream"],
  ["/api/threads", "multipart/form-data; boundary=x"],
  ["/api/admin/email-queue/cc5lnd2s1s4652adtu50/attempt", "application/x-www-form-urlencoded"],
  ["/api/beacon", "text/plain"],
  ["/api/nothing", "application/json"]
] as const

const kindOf = (n: number) => kinds[n % kinds.length] ?? kinds[0]

/** By how many megabytes the service may grow while bodies arrive in small parts. */
const growthMax = 100

export const connections = (target: () => Target) => {
  attack("50,000 requests are sent at once on one connection, and no answer is read", target, (target) =>
    hold(target, 1, () => [get("/api/threads").repeat(50_000)])
  )

  attack("heavy pages are requested on many connections, and no answer is read", target, (target) =>
    hold(target, 20, () => [get(`/api/threads/${target.thread}`).repeat(2000)])
  )

  attack(
    "a page of long replies is requested on many connections, and no answer is read",
    target,
    async (target) => {
      const long = await openLongThread(target, 50)
      await hold(target, 40, () => [get(`/api/threads/${long}`).repeat(20)])
    }
  )

  attack("a thousand connections send a byte of a request", target, (target) =>
    hold(target, 1000, () => ["G"])
  )

  attack("bodies stop half-way", target, (target) =>
    hold(target, 200, () => [
      post("/api/auth/password/signup", 1_000_000, "application/json"),
      `{"identifier":"${"x".repeat(900_000)}`
    ])
  )

  attack("writes of many networks stop half-way", target, (target) =>
    whileOthersWrite(
      target,
      hold(target, 400, (n) => {
        const headers = Object.entries(fromMany(n, target.members(n).headers))
        const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")
        return [post("/api/threads", 1000, "application/json", lines), '{"title":"']
      })
    )
  )

  attack("signals of 49 MiB are sent", target, (target) => {
    const body = '{"k":"thread","id":['.padEnd(49 * 1024 * 1024, "[")
    return answered(
      flood(target, 4, () => ({
        method: "POST",
        path: "/api/beacon",
        headers: { "content-type": "text/plain" },
        body
      })),
      // A signal is never refused, whatever it is.
      202,
      413,
      0
    )
  })

  for (const size of [1, 2, 16]) {
    attack(`bodies arrive in chunks of ${size} bytes, without an end`, target, async (target) => {
      const chunks = `${size.toString(16)}\r\n${"x".repeat(size)}\r\n`.repeat(200_000)
      const cookie = `Cookie: ${target.member.cookie}\r\n`
      const growth = await growthDuring(
        target,
        hold(target, 28, (n) => {
          const [path, type] = kindOf(n)
          const head = post(path, 0, type, n % 2 === 0 ? cookie : "")
          return [head.replace("Content-Length: 0", "Transfer-Encoding: chunked"), chunks]
        })
      )
      print(`the service grew by ${Math.round(growth)} MB`)
      assert.isBelow(growth, growthMax)
    })
  }

  attack("bodies arrive byte by byte", target, async (target) => {
    const growth = await growthDuring(
      target,
      trickle(target, 70, {
        every: 5,
        part: Buffer.from("x"),
        sent: (n) => {
          const [path, type] = kindOf(n)
          return [post(path, 1_000_000, type, `Cookie: ${target.member.cookie}\r\n`)]
        }
      })
    )
    print(`the service grew by ${Math.round(growth)} MB`)
    assert.isBelow(growth, growthMax)
  })

  attack("addresses are long and odd", target, (target) =>
    answered(
      flood(target, 32, (n) => ({
        path:
          [
            `/api/threads/${"a-".repeat(3000)}`,
            `/api/threads?${"tags=a&".repeat(1500)}`,
            `/api/%E0%A4%A/${"%41".repeat(2000)}`
          ][n % 3] ?? ""
      })),
      404,
      400
    )
  )
}
