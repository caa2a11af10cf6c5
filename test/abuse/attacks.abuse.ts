/** What strangers do to a service on the internet. While it lasts, everybody else is served. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { accounts } from "./areas/accounts.ts"
import { appearance } from "./areas/appearance.ts"
import { assets } from "./areas/assets.ts"
import { calendar } from "./areas/calendar.ts"
import { categories } from "./areas/categories.ts"
import { collections } from "./areas/collections.ts"
import { connections } from "./areas/connections.ts"
import { library } from "./areas/library.ts"
import { links } from "./areas/links.ts"
import { moderation } from "./areas/moderation.ts"
import { profiles } from "./areas/profiles.ts"
import { reactions } from "./areas/reactions.ts"
import { search } from "./areas/search.ts"
import { staff } from "./areas/staff.ts"
import { threads } from "./areas/threads.ts"
import { call, flood } from "./clients.ts"
import { librarySeed } from "./seedLibrary.ts"
import { memoryOf, startTarget, type Target, untilMemoryReturns } from "./target.ts"

let running: Target
let atStart = 0
const target = () => running

// One service for each part, so that what one attack leaves is there when the next one comes.
const parts = {
  discussion: { connections, threads, accounts, moderation },
  files: { assets, appearance },
  finding: { links, search },
  community: { profiles, reactions, categories, collections, calendar },
  administration: { staff },
  library: { library }
}

/** What is seeded beside the rest for some parts. */
const seeds: Readonly<Record<string, ReadonlyArray<string>>> = { library: librarySeed }

for (const [part, areas] of Object.entries(parts)) {
  describe(part, () => {
    beforeAll(async () => {
      running = await startTarget(seeds[part])
      // The code that reads the thread is loaded and compiled.
      await flood(running, 4, () => ({ path: `/api/threads/${running.thread}` }))
      atStart = memoryOf(running)
    })

    afterAll(async () => {
      assert.strictEqual(await running.stop(), 0)
    })

    describe("everybody else is served while", () => {
      for (const [area, attacks] of Object.entries(areas)) describe(area, () => attacks(target))
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
  })
}
