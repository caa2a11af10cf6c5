/** Pages that the service fetches because somebody links to them: their servers are the attackers'. */
import { createServer as createHttpServer, type RequestListener } from "node:http"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { assert } from "vitest"
import { call, flood } from "../clients.ts"
import { answered, attack, print, whileOthersWrite } from "../harness.ts"
import { growthDuring, type Target } from "../target.ts"
import { listen, openTarpits, outside } from "../tarpits.ts"

const mebibyte = 1024 * 1024

/** Pages that are read at the same time: eight from the queue, and sixteen for those who wait for a preview. */
const fetchesMax = 24

const zeros = Buffer.alloc(100 * mebibyte)

/** A page of a gigabyte that takes a megabyte, and one that takes a kilobyte. */
const bombs = {
  gzip: () => {
    const part = gzipSync(zeros)
    return Buffer.concat(Array.from({ length: 10 }, () => part))
  },
  br: () => brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
}

const heads = [
  "<meta name=description content=x>".repeat(mebibyte / 32),
  `<meta ${"x ".repeat(mebibyte / 2)}>`,
  "<title>&amp;".repeat(mebibyte / 12),
  "<template>".repeat(mebibyte / 10)
]

/** A server of pages that should not be read to their end. */
const openHostile = async () => {
  const html = { "content-type": "text/html" }
  const [gzip, br] = [bombs.gzip(), bombs.br()]
  const listener: RequestListener = (request, response) => {
    const [, kind, place = "0"] = (request.url ?? "").split("/")
    const n = Number(place)
    if (kind === "gzip") response.writeHead(200, { ...html, "content-encoding": "gzip" }).end(gzip)
    else if (kind === "br") response.writeHead(200, { ...html, "content-encoding": "br" }).end(br)
    else if (kind === "away") response.writeHead(302, { location: `/away/${n + 1}` }).end()
    else if (kind === "head") response.writeHead(200, html).end(heads[n % heads.length])
    else if (kind === "picture") response.writeHead(200, { "content-type": "image/png" }).end(zeros)
    else response.writeHead(200, html).end(`<meta property=og:image content=/picture/${n}>`)
  }
  const server = createHttpServer(listener)
  const port = await listen(server)
  const kinds = ["gzip", "br", "away", "head", "page"]
  return {
    url: (n: number) => `http://${outside}:${port}/${kinds[n % kinds.length]}/${n}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

const add = (target: Target, n: number, url: string) => ({
  method: "POST",
  path: "/api/links",
  headers: target.members(n).headers,
  body: { url }
})

export const links = (target: () => Target) => {
  attack("links lead to servers that never answer", target, async (target) => {
    const { close, most, url } = await openTarpits(20)
    try {
      await whileOthersWrite(
        target,
        answered(
          flood(target, 64, (n) => add(target, n, url(n))),
          200
        )
      )
      print(`${most()} pages were awaited at once`)
      assert.isAbove(most(), 8)
      assert.isAtMost(most(), fetchesMax)
    } finally {
      close()
    }
  })

  attack("threads link to a thousand pages that never answer", target, async (target) => {
    const { close, most, url } = await openTarpits(20)
    try {
      const body = Array.from({ length: 1000 }, (_, n) => `<a href="${url(n)}">x</a>`).join(" ")
      await answered(
        flood(target, 8, (n) => ({
          method: "POST",
          path: "/api/threads",
          headers: target.members(n).headers,
          body: { title: `A thousand links ${n}`, body, visibility: "published" }
        })),
        200,
        503
      )
      assert.isAtMost(most(), fetchesMax)
    } finally {
      close()
    }
  })

  attack(
    "pages are gigabytes when they are unpacked, lead to others without end, and have endless heads",
    target,
    async (target) => {
      const { close, url } = await openHostile()
      try {
        const flooding = answered(
          flood(target, 32, (n) => add(target, n, url(n))),
          200
        )
        const growth = await growthDuring(target, flooding)
        print(`the service grew by ${Math.round(growth)} MB`)
        assert.isBelow(growth, 150)
        const { json } = await call(target.port, { path: "/api/links?q=away" })
        assert.isAbove(json.links.length, 0)
      } finally {
        close()
      }
    }
  )
}
