/** Images that are asked for at a width. */

import { readdir } from "node:fs/promises"
import { request } from "node:http"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import sharp from "sharp"
import { TooManyThumbnails } from "../../src/domain/asset/Asset.ts"
import { makeImageSizeReader } from "../../src/domain/asset/ImageSize.ts"
import { Thumbnailer } from "../../src/domain/asset/Thumbnailer.ts"
import { networksOf } from "../../src/domain/shared/Network.ts"
import { ConnectionFigures } from "../../src/http/operations/ConnectionFigures.ts"
import { layerFor } from "../../src/layers/adapters/images/SharpThumbnailer.ts"
import { AssetFiles } from "../../src/persistence/asset/AssetFiles.ts"
import { until } from "../support/connections.ts"
import { bytesOf, download, png, upload } from "../support/files.ts"
import { ofOneClient } from "../support/lanes.ts"
import * as Logs from "../support/logs.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { port, send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"

const image = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "teal" } })

const sizeOf = (file: Uint8Array) => {
  const reader = makeImageSizeReader()
  reader.add(file)
  return reader.size()
}

const files = Effect.flatMap(AssetFiles, ({ directory }) =>
  Effect.promise(() => readdir(join(directory, "files")))
)

layer(People.layer)("an image", (it) => {
  it.effect("is answered at a width, of each format, and that is kept", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const formats = [
        ["a.png", yield* Effect.promise(() => image(700, 350).png().toBuffer())],
        ["a.jpeg", yield* Effect.promise(() => image(700, 350).jpeg().toBuffer())],
        ["a.webp", yield* Effect.promise(() => image(700, 350).webp().toBuffer())],
        ["a.gif", yield* Effect.promise(() => image(700, 350).gif().toBuffer())]
      ] as const
      for (const [filename, file] of formats) {
        const { height, id, path, width } = yield* upload(freya, file, { filename })
        assert.deepStrictEqual([width, height], [700, 350])
        const small = yield* download(`${path}?width=160`)
        assert.strictEqual(small.status, 200)
        assert.strictEqual(small.headers["content-type"], "image/webp")
        assert.strictEqual(small.headers["content-length"], String(small.bytes.length))
        assert.strictEqual(small.headers.etag, `"${id}-w160"`)
        assert.strictEqual(small.headers["cache-control"], "public, max-age=31536000")
        assert.strictEqual(small.headers["content-security-policy"], "default-src 'none'; sandbox")
        assert.deepStrictEqual(sizeOf(small.bytes), { width: 160, height: 80 })
        assert.include(yield* files, `${id}-w160`)
        const again = yield* download(`${path}?width=160`)
        assert.isTrue(again.bytes.equals(small.bytes))
        const head = yield* download(`${path}?width=160`, {}, "HEAD")
        assert.strictEqual(head.headers["content-length"], String(small.bytes.length))
        for (const tag of [`"${id}-w160"`, `"${id}"`]) {
          assert.strictEqual((yield* download(`${path}?width=160`, { "if-none-match": tag })).status, 304)
        }
        const other = yield* download(`${path}?width=160`, { "if-none-match": `"${id}-w64"` })
        assert.strictEqual(other.status, 200)
      }
    })
  )

  it.effect("is answered as it was uploaded, if there is nothing to make smaller", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const svg = new TextEncoder().encode(
        '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"/>'
      )
      const narrow = yield* Effect.promise(() => image(320, 1000).png().toBuffer())
      for (const file of [svg, narrow, png(60_000, 60_000), png(5000, 5000), bytesOf("text")]) {
        const { id, mime_type, path } = yield* upload(freya, file)
        for (const _ of ["first", "second"]) {
          const answer = yield* download(`${path}?width=320`)
          assert.strictEqual(answer.headers["content-type"], mime_type)
          assert.strictEqual(answer.headers.etag, `"${id}"`)
          assert.isTrue(answer.bytes.equals(file))
        }
        assert.notInclude(yield* files, `${id}-w320`)
      }
    })
  )

  it.effect("may be tall, which its thumbnail is in measure", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const tall = yield* Effect.promise(() => image(200, 8000).png().toBuffer())
      const { path } = yield* upload(freya, tall)
      const { bytes } = yield* download(`${path}?width=64`)
      assert.deepStrictEqual(sizeOf(bytes), { width: 6, height: 256 })
    })
  )

  it.effect("is not answered at any other width", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { path } = yield* upload(freya, png(4, 4))
      for (const width of ["0", "65", "-1", "1e3", "100000", "x"]) {
        assertInvalid(yield* send({ path: `${path}?width=${width}` }), "query width")
      }
      assert.strictEqual((yield* download(`${path}?width=`)).status, 200)
    })
  )
})

let isStarted: Deferred.Deferred<void>
let mayEnd: Deferred.Deferred<void>
let made = 0

const slow = Layer.succeed(
  Thumbnailer,
  Thumbnailer.of({
    isAvailable: true,
    make: () =>
      Effect.gen(function* () {
        made++
        yield* Deferred.succeed(isStarted, undefined)
        yield* Deferred.await(mayEnd)
        return Option.some(bytesOf("small"))
      }),
    render: () => Effect.succeed(Option.none())
  })
)

const app = Layer.provide(TestApp.layerWhere({}, undefined, undefined, undefined, slow), ofOneClient)

layer(People.withCast(app))("thumbnails", (it) => {
  it.effect("are made once, however many ask at the same time, and a few at a time", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      isStarted = yield* Deferred.make<void>()
      mayEnd = yield* Deferred.make<void>()
      const [first, ...others] = yield* Effect.forEach(Array.from({ length: 18 }), () =>
        upload(freya, png(999, 9))
      )
      const ask = (path: string) => Effect.forkChild(download(`${path}?width=64`))
      const same = yield* Effect.forEach(Array.from({ length: 5 }), () => ask(first.path))
      yield* Deferred.await(isStarted)
      const waiting = yield* Effect.forEach(others, ({ path }) => ask(path))
      // 16 of one client are made or wait, of 18 that are asked for.
      const refused = yield* Effect.raceAll(
        waiting.map((fiber) =>
          Effect.flatMap(Fiber.join(fiber), (answer) =>
            answer.status === 503 ? Effect.succeed(answer) : Effect.never
          )
        )
      )
      assert.include(refused.bytes.toString(), "too-many-thumbnails")
      assert.strictEqual(made, 1)
      yield* Deferred.succeed(mayEnd, undefined)
      const answers = yield* Effect.forEach([...same, ...waiting], Fiber.join)
      assert.strictEqual(answers.filter(({ status }) => status === 503).length, 2)
      assert.strictEqual(answers.filter(({ bytes }) => bytes.toString() === "small").length, 20)
      assert.strictEqual(made, 16)
    })
  )

  it.effect("that nobody awaits any more keep their turns until they are made", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const figures = yield* ConnectionFigures
      const server = yield* port
      isStarted = yield* Deferred.make<void>()
      mayEnd = yield* Deferred.make<void>()
      made = 0
      const images = yield* Effect.forEach(Array.from({ length: 4 }), () => upload(freya, png(999, 9)))
      const asked = images.map(({ path }) =>
        request({ host: "127.0.0.1", port: server, path: `${path}?width=64`, agent: false }).on(
          "error",
          () => {}
        )
      )
      for (const one of asked) one.end()
      yield* Effect.promise(() => until(() => made === 1 && figures()?.requestsInProgress === 4))
      for (const one of asked) one.destroy()
      yield* Effect.promise(() => until(() => figures()?.requestsInProgress === 0))
      assert.strictEqual(made, 1)
      yield* Deferred.succeed(mayEnd, undefined)
    })
  )

  it.effect("are refused by a problem when too many wait", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      isStarted = yield* Deferred.make<void>()
      mayEnd = yield* Deferred.make<void>()
      const images = yield* Effect.forEach(Array.from({ length: 17 }), () => upload(freya, png(999, 9)))
      const asked = yield* Effect.forEach(images, ({ filename }) =>
        Effect.forkChild(guest.get(`/assets/${filename}?width=64`))
      )
      const refused = yield* Effect.raceAll(
        asked.map((fiber) =>
          Effect.flatMap(Fiber.join(fiber), (answer) =>
            answer.status === 503 ? Effect.succeed(answer) : Effect.never
          )
        )
      )
      assertProblem(refused, TooManyThumbnails, { retry_after: 2 })
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Effect.forEach(asked, Fiber.join)
    })
  )
})

const behindProxy = TestApp.layerWhere(
  { trustedProxies: networksOf(["127.0.0.0/8", "::1/128"]) },
  undefined,
  undefined,
  undefined,
  slow
)

layer(People.withCast(behindProxy))("the turns of a client", (it) => {
  it.effect("leave one to another", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      isStarted = yield* Deferred.make<void>()
      mayEnd = yield* Deferred.make<void>()
      made = 0
      const [own, ...many] = yield* Effect.forEach(Array.from({ length: 5 }), () =>
        upload(freya, png(999, 9))
      )
      const ask = (path: string, address: string) =>
        Effect.forkChild(download(`${path}?width=64`, { "x-forwarded-for": address }))
      const greedy = yield* Effect.forEach(many, ({ path }) => ask(path, "203.0.113.1"))
      yield* Deferred.await(isStarted)
      const other = yield* ask(own.path, "198.51.100.1")
      yield* Effect.promise(() => until(() => made === 2))
      yield* Deferred.succeed(mayEnd, undefined)
      assert.strictEqual((yield* Fiber.join(other)).bytes.toString(), "small")
      yield* Effect.forEach(greedy, Fiber.join)
      assert.strictEqual(made, 5)
    })
  )
})

const tried: Array<number> = []

const unable = Layer.succeed(
  Thumbnailer,
  Thumbnailer.of({
    isAvailable: true,
    make: (_, width) =>
      Effect.sync(() => {
        tried.push(width)
        return Option.none()
      }),
    render: () => Effect.succeed(Option.none())
  })
)

layer(People.withCast(TestApp.layerWhere({}, undefined, undefined, undefined, unable)))("an image", (it) => {
  it.effect("that cannot be read is tried once, at whatever width", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const file = png(999, 9)
      const { path } = yield* upload(freya, file)
      for (const width of [64, 160, 64, 160]) {
        assert.isTrue((yield* download(`${path}?width=${width}`)).bytes.equals(file))
      }
      assert.deepStrictEqual(tried, [64])
    })
  )

  it.effect("of more than 40 million pixels is not tried", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      tried.length = 0
      for (const [height, tries] of [
        [5001, 0],
        [5000, 1]
      ] as const) {
        const { path } = yield* upload(freya, png(8000, height))
        assert.strictEqual((yield* download(`${path}?width=64`)).headers["content-type"], "image/png")
        assert.strictEqual(tried.length, tries, `${height}`)
      }
    })
  )
})

const without = layerFor("a-package-that-is-not-installed")

layer(
  People.withCast(TestApp.layerWhere({}, undefined, undefined, undefined, without)).pipe(
    Layer.provideMerge(Logs.layer)
  )
)("without the package that makes thumbnails", (it) => {
  it.effect("images are answered as they were uploaded, and the log says so once", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const file = yield* Effect.promise(() => image(700, 350).png().toBuffer())
      const { path } = yield* upload(freya, file)
      const { bytes, headers } = yield* download(`${path}?width=160`)
      assert.isTrue(bytes.equals(file))
      assert.strictEqual(headers["content-type"], "image/png")
    })
  )
})
