/** Requests that are odd whatever they ask for. */
import { flood, fromMany, get, hold, post } from "../clients.ts"
import { answered, attack, whileOthersWrite } from "../harness.ts"
import { openLongThread, type Target } from "../target.ts"

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
