/** Files that are sent and read in ways that take long, or that are larger than they may be. */
import { request } from "node:http"
import sharp from "sharp"
import { assert } from "vitest"
import { call, flood, get, leave, post, repeat, sip, somebodyElse, trickle, wait } from "../clients.ts"
import { answered, attack, print } from "../harness.ts"
import { growthDuring, type Target } from "../target.ts"

const mebibyte = 1024 * 1024
const fileMax = 50 * mebibyte

/** By how many megabytes the service may grow while it takes or sends large files. */
const growthMax = 60

/** Comes first: what so many requests leave to be collected is not what the size of large files adds. */
const smallFile = 4 * mebibyte

const type = "application/octet-stream"

const upload = (target: Target, n: number, body: Uint8Array, agent = {}) =>
  call(target.port, {
    method: "POST",
    path: "/api/assets",
    headers: target.members(n).headers,
    body,
    ...agent
  })

/** Uploads a file of so many bytes without saying how many, and answers the status. */
const uploadChunked = ({ members, port }: Target, n: number, length: number) =>
  new Promise<number>((resolve, reject) => {
    const part = Buffer.alloc(mebibyte)
    const sent = request({
      host: "127.0.0.1",
      port,
      path: "/api/assets",
      method: "POST",
      agent: false,
      headers: { ...members(n).headers, "content-type": type }
    })
    sent.on("error", reject)
    sent.on("response", (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    let left = length
    const send = () => {
      while (left > 0 && !sent.destroyed) {
        const next = part.subarray(0, left)
        left -= next.length
        if (!sent.write(next)) return sent.once("drain", send)
      }
      return sent.end()
    }
    send()
  })

/** Waits until no file is arriving any more. */
const untilNoneArrives = async ({ files }: Target) => {
  for (let tries = 0; tries < 50 && (await files("incoming")).length > 0; tries++) await wait(100)
  assert.deepStrictEqual(await files("incoming"), [])
}

export const assets = (target: () => Target) => {
  attack("files arrive as slowly as they may, and stop half-way", target, async (target) => {
    const before = (await target.files("files")).length
    // Sixteen seconds for each mebibyte.
    const slow = trickle(target, 64, {
      every: 250,
      part: Buffer.alloc(16 * 1024),
      sent: (n) => [
        post("/api/assets", fileMax, type, `Cookie: ${target.members(n).headers.cookie}\r\n`),
        Buffer.alloc(mebibyte / 2)
      ]
    })
    await wait(1000)
    const arriving = (await target.files("incoming")).length
    assert.isAbove(arriving, 0)
    // They have half of the places at most, so that others find one.
    const others = await Promise.all(
      Array.from({ length: 16 }, (_, n) => upload(target, 100 + n, Buffer.from("x"), { agent: somebodyElse }))
    )
    assert.deepStrictEqual([...new Set(others.map(({ status }) => status))], [200])
    await slow
    await untilNoneArrives(target)
    assert.strictEqual((await target.files("files")).length, before + others.length)
  })

  for (const networks of [2, 3, 8]) {
    attack(`${networks} networks send sixteen files each as slowly as they may`, target, async (target) => {
      const before = (await target.files("files")).length
      const slow = trickle(target, 16 * networks, {
        every: 250,
        part: Buffer.alloc(16 * 1024),
        sent: (n) => {
          const from = `X-Forwarded-For: 198.51.${n % networks}.1\r\n`
          const cookie = `Cookie: ${target.members(n >> 1).headers.cookie}\r\n`
          return [post("/api/assets", fileMax, type, from + cookie), Buffer.alloc(16 * 1024)]
        }
      })
      await wait(1000)
      assert.isAtLeast((await target.files("incoming")).length, Math.min(64, 16 * networks))
      const start = performance.now()
      // Where all places are taken, nobody has to give way in the first seconds.
      const body = Buffer.from("somebody else's")
      const other = await upload(target, 150, body, { agent: somebodyElse })
      assert.strictEqual(other.status, 200)
      const took = performance.now() - start
      print(`another upload took ${Math.round(took)} ms`)
      assert.isBelow(took, networks * 16 < 64 ? 1000 : 7000)
      await slow
      await untilNoneArrives(target)
      assert.strictEqual((await target.files("files")).length, before + 1)
    })
  }

  attack("files are a byte too long, and nobody says so before", target, async (target) => {
    const before = (await target.files("files")).length
    await answered(
      repeat(4, (n) => uploadChunked(target, n, fileMax + 1)),
      413
    )
    await untilNoneArrives(target)
    assert.strictEqual((await target.files("files")).length, before)
  })

  attack("ten files of 45 MiB are uploaded at once", target, async (target) => {
    const uploading = (bytes: number) =>
      Promise.all(Array.from({ length: 10 }, (_, n) => uploadChunked(target, n, bytes)))
    await uploading(smallFile)
    const statuses = uploading(45 * mebibyte)
    const growth = await growthDuring(target, statuses)
    print(`the service grew by ${Math.round(growth)} MB`)
    assert.deepStrictEqual([...new Set(await statuses)], [200])
    assert.isBelow(growth, growthMax)
  })

  attack("a file of 50 MiB is read byte by byte", target, async (target) => {
    const reading = async (bytes: number) => {
      const { json, status } = await upload(target, 0, Buffer.alloc(bytes))
      assert.strictEqual(status, 200)
      const one = (n: number) => ({
        path: json.path,
        headers: { range: `bytes=${(n * 9999) % bytes}-${(n * 9999) % bytes}` }
      })
      return () =>
        Promise.all([sip(target, 200, () => [get(json.path)]), answered(flood(target, 32, one), 206)])
    }
    const large = await reading(fileMax)
    const small = await reading(smallFile)
    await small()
    const growth = await growthDuring(target, large())
    print(`the service grew by ${Math.round(growth)} MB`)
    assert.isBelow(growth, growthMax)
  })

  attack(
    "small versions of images of 40 megapixels are asked for by clients that leave",
    target,
    async (target) => {
      const image = await sharp({ create: { width: 6320, height: 6320, channels: 3, background: "teal" } })
        .png()
        .toBuffer()
      const images = await Promise.all(Array.from({ length: 8 }, (_, n) => upload(target, n, image)))
      const widths = [64, 160, 320, 640, 1280]
      const pathOf = (n: number) =>
        `${images[n % images.length]?.json.path}?width=${widths[n % widths.length]}`
      await leave(target, 48, 100, (n) => [get(pathOf(n))])
      // Those who stay get theirs.
      for (let tries = 0; (await call(target.port, { path: pathOf(0) })).status !== 200; tries++) {
        assert.isBelow(tries, 10)
        await wait(500)
      }
    }
  )
}
