/** Pages of the library that contain as many others as they may, and those who move, change, list and delete them. */
import { assert } from "vitest"
import { type Call, call, flood, fromMany, get, hold, open, post, repeat, wait } from "../clients.ts"
import { answered, attack, print, refusedSome, whileOthersWrite } from "../harness.ts"
import { child, crate, deepest, drafter, level, shelf } from "../seedLibrary.ts"
import type { Target } from "../target.ts"
import { openTarpits } from "../tarpits.ts"

/** Files that are fetched at the same time. */
const copiesMax = 8

const tags = Array.from({ length: 100 }, (_, n) => `tags=banana-${n}`).join("&")

const one = <A>(list: readonly [A, ...ReadonlyArray<A>], n: number): A => list[n % list.length] ?? list[0]

/** As many properties as a request has room for, each as long as they may be. */
const manyValues = (n: number) =>
  Array.from({ length: 90 }, (_, field) => ({
    name: `Field ${field}`,
    type: "text",
    value: `${n} ${"ab ".repeat(3300)}`
  }))

/** How many connections the service has closed because their answers were not read. */
const endedReaders = async ({ port }: Target) => {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^forum_http_refusals_total\{.*"slow_reader".*\} (\d+)/m.exec(metrics)?.[1] ?? 0)
}

export const library = (target: () => Target) => {
  attack("the list of all pages is read by many", target, (target) =>
    answered(
      flood(target, 32, (n) => ({
        path: one(
          [
            "/api/nodes",
            "/api/nodes?format=flat",
            `/api/nodes?node_id=${shelf}&format=flat&q=ana`,
            `/api/nodes?visibility=draft&visibility=published&author=anna-${n % 50}`
          ],
          n
        ),
        headers: n % 3 === 0 ? target.members(n).headers : {}
      })),
      200,
      503
    )
  )

  attack("so many long lists are not read that there is no memory for others", target, async (target) => {
    const before = await endedReaders(target)
    // From one address, for so many others that lists are made for them at the same time.
    const lists = Array.from({ length: 60 }, (_, n) => {
      const headers = Object.entries(fromMany(n, target.members(n).headers))
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
      return open(target.port, [get("/api/nodes?format=flat", lines.join(""))])
    })
    try {
      const end = performance.now() + 20_000
      while ((await endedReaders(target)) === before) {
        assert.isBelow(performance.now(), end, "none of them gave way")
        await wait(100)
      }
      // What the others hold must not be in the way of anybody, either.
      await wait(1000)
    } finally {
      for (const list of lists) list.destroy()
    }
  })

  attack("children are sorted and searched by many terms", target, (target) =>
    answered(
      flood(target, 32, (n) => ({
        path: one(
          [
            `/api/nodes/${shelf}/children?children_sort=-Weight&page=${n % 120}`,
            `/api/nodes/${shelf}/children?children_sort=Place&q=an&page=99`,
            `/api/nodes/${shelf}/children?q=${"%25_".repeat(80)}&${tags}`,
            `/api/nodes/${shelf}?children_sort=-Ripe&page=${n % 120}`,
            `/api/nodes/${crate}/children?children_sort=description`
          ],
          n
        ),
        headers: target.members(n).headers
      })),
      200,
      503
    )
  )

  attack("strangers put drafts into one page", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 100, (n) => ({
          method: "POST",
          path: "/api/nodes",
          headers: target.members(n % 150).headers,
          body: { name: `Stranger ${n}`, parent: crate, content: "<p>A man had the idea.</p>" }
        })),
        200,
        503
      )
    )
  )

  attack("pages are moved into one gap", target, (target) =>
    refusedSome(
      whileOthersWrite(
        target,
        answered(
          flood(target, 100, (n) => ({
            method: "PATCH",
            path: `/api/nodes/${child(1 + (n % 100))}/position`,
            headers: fromMany(n, target.admin),
            body: { before: child(200) }
          })),
          200,
          503
        )
      )
    )
  )

  attack("pages give each other their slugs", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 80, (n) =>
          n % 2 === 0
            ? {
                method: "POST",
                path: "/api/nodes",
                headers: target.members(n % 150).headers,
                body: { name: `Slug ${n % 3}` }
              }
            : {
                method: "PATCH",
                path: `/api/nodes/${child(300 + (n % 8))}`,
                headers: target.admin,
                body: { slug: `slug-${n % 3}-of-many` }
              }
        ),
        409,
        200,
        503
      )
    )
  )

  attack("a page has as many and as long values as it may", target, (target) =>
    answered(
      flood(target, 8, (n) => ({
        method: "PATCH",
        path: `/api/nodes/${level(3)}/properties`,
        headers: target.admin,
        body: { properties: n % 2 === 0 ? manyValues(n) : [] }
      })),
      200,
      400,
      503
    )
  )

  attack("fields that ten thousand pages have come and go while pages move", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 24, (n) =>
          n % 4 === 0
            ? {
                method: "PATCH",
                path: `/api/nodes/${shelf}/children/property-schema`,
                headers: target.admin,
                body: n % 8 === 0 ? [] : [{ name: "New", type: "text", sort: "" }]
              }
            : {
                method: "PATCH",
                path: `/api/nodes/${child(400 + (n % 10))}/position`,
                headers: target.admin,
                body: { parent: n % 3 === 0 ? null : shelf }
              }
        ),
        200,
        503
      )
    )
  )

  attack("drafts of versions are created and changed by many", target, (target) =>
    whileOthersWrite(
      target,
      answered(
        flood(target, 60, (n) => {
          const path = `/api/nodes/${child(n % 3 === 0 ? 600 : 1000 + (n % 1500))}/versions`
          const body = { content: `<p>${"A man had the idea. ".repeat(2000)}</p>` }
          return n % 3 === 1
            ? { method: "PATCH", path: `${path}/draft`, headers: target.admin, body }
            : { method: "POST", path, headers: target.admin, body }
        }),
        200,
        404,
        409,
        503
      )
    )
  )

  attack("long lists of drafts are read", target, (target) =>
    answered(
      flood(target, 32, (n) => ({
        path: `/api/nodes/drafts?page=${1 + (n % 30)}`,
        headers: n % 2 === 0 ? target.admin : target.members(drafter).headers
      })),
      200,
      503
    )
  )

  attack("pages are put below the last level", target, (target) =>
    answered(
      flood(target, 32, (n) =>
        one<Call>(
          [
            {
              path: "/api/nodes",
              method: "POST",
              headers: target.member,
              body: { name: `${n}`, parent: deepest }
            },
            { path: `/api/nodes/${child(700)}/nodes/${level(0)}`, method: "PUT", headers: target.admin },
            { path: `/api/nodes/${deepest}/nodes/${child(701)}`, method: "PUT", headers: target.admin },
            { path: `/api/nodes?node_id=${level(0)}` },
            { path: `/api/nodes/${deepest}` }
          ],
          n
        )
      ),
      400,
      200,
      503
    )
  )

  attack("files are fetched from servers that never answer", target, async (target) => {
    const tarpits = await openTarpits(4)
    const bodyOf = (n: number) =>
      JSON.stringify({
        name: `Slow ${n}`,
        asset_sources: Array.from({ length: 10 }, (_, source) => tarpits.url(n * 10 + source))
      })
    try {
      await whileOthersWrite(
        target,
        hold(target, 100, (n) => {
          const body = bodyOf(n)
          const { cookie } = target.members(n % 100).headers
          return [
            post("/api/nodes", Buffer.byteLength(body), "application/json", `Cookie: ${cookie}\r\n`),
            body
          ]
        })
      )
      print(`at most ${tarpits.most()} files at a time`)
      assert.isAbove(tarpits.most(), 0)
      assert.isAtMost(tarpits.most(), copiesMax)
    } finally {
      tarpits.close()
    }
  })

  attack("a page with ten thousand pages is deleted again and again", target, async (target) => {
    let holder = shelf
    const deletion = async (n: number) => {
      const body = { name: `Holder ${n}`, visibility: "published" }
      const { json } = await call(target.port, {
        method: "POST",
        path: "/api/nodes",
        headers: target.admin,
        body
      })
      const path = `/api/nodes/${holder}?target_node=${json.id}`
      const { status } = await call(target.port, { method: "DELETE", path, headers: target.admin })
      if (status === 200) holder = json.id
      return status
    }
    await whileOthersWrite(target, answered(repeat(1, deletion), 200, 503))
    const { json } = await call(target.port, { path: `/api/nodes/${holder}` })
    assert.lengthOf(json.children, 100)
  })
}
