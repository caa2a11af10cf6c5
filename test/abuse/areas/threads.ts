import { assert } from "vitest"
import { call, flood, forwarded, somebodyElse, wait } from "../clients.ts"
import { answered, attack, print, whileOthersWrite } from "../harness.ts"
import { idOf } from "../seed.ts"
import type { Target } from "../target.ts"

const markup = [
  "<b>".repeat(300_000),
  "<a><p>".repeat(150_000),
  "<table>".repeat(140_000),
  `<p ${"x ".repeat(480_000)}>`,
  "&amp".repeat(240_000),
  "<svg><math>".repeat(90_000),
  "x ".repeat(500_000)
]

/** Of fifty accounts, each many times. */
const mentions = (count: number) =>
  Array.from({ length: count }, (_, n) => `<a href="sdr:profile/${idOf("account", n % 50)}">@x</a>`).join("")

export const threads = (target: () => Target) => {
  attack("hostile markup is posted", target, (target) =>
    answered(
      flood(target, 8, (n) => ({
        method: "POST",
        path: `/api/threads/${target.spare}/replies`,
        headers: target.member,
        body: { body: markup[n % markup.length] }
      })),
      400,
      200,
      503
    )
  )

  attack("three networks send texts that are read beside the service", target, async (target) => {
    const text = "<p><b>x</b> word</p>".repeat(2000)
    const flooding = flood(target, 96, (n) => ({
      method: "POST",
      path: `/api/threads/${target.spare}/replies`,
      headers: { ...target.members(n % 48).headers, ...forwarded(`198.51.100.${n % 3}`) },
      body: { body: text }
    }))
    await wait(300)
    for (let n = 0; n < 3; n++) {
      const start = performance.now()
      const { status } = await call(target.port, {
        agent: somebodyElse,
        method: "POST",
        path: `/api/threads/${target.thread}/replies`,
        headers: target.members(150 + n).headers,
        body: { body: text.slice(0, 21_000) }
      })
      assert.strictEqual(status, 200)
      const took = performance.now() - start
      print(`another long reply took ${Math.round(took)} ms`)
      assert.isBelow(took, 2000)
    }
    await answered(flooding, 200, 503)
  })

  attack("searches are made that no index helps", target, (target) =>
    answered(
      flood(target, 32, (n) => ({
        path: `/api/threads?q=${encodeURIComponent(`${["%_ a e".repeat(20), "a".repeat(199)][n % 2]}${n % 10}`)}`
      })),
      200,
      503
    )
  )

  attack("many change one thread", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 60, (n) => ({
          method: "PATCH",
          path: `/api/threads/${target.spare}`,
          headers: target.member,
          body: { title: `Title ${n}`, tags: [`tag-${n % 7}`] }
        })),
        200,
        503
      )
    )
  )

  attack("replies mention thousands", target, (target) =>
    answered(
      flood(target, 16, (n) => ({
        method: "POST",
        path: `/api/threads/${target.spare}/replies`,
        headers: target.member,
        body: { body: `<p>${mentions(n % 2 === 0 ? 8000 : 2000)}</p>` }
      })),
      200,
      400,
      503
    )
  )

  attack("titles are huge", target, (target) =>
    answered(
      flood(target, 16, (n) => ({
        method: "POST",
        path: "/api/threads",
        headers: target.member,
        body: { title: "\ufdfa".repeat(n % 2 === 0 ? 10_000 : 255), visibility: "published" }
      })),
      400,
      200,
      503
    )
  )

  attack("pages are read that are far beyond the end", target, (target) =>
    answered(
      flood(target, 32, (n) => ({
        path:
          [
            "/api/threads?page=2147483647",
            `/api/threads/${target.thread}?page=99999999999999999999`,
            `/api/threads/${idOf("thread", 0)}?page=50`
          ][n % 3] ?? ""
      })),
      200,
      400,
      404
    )
  )
}
