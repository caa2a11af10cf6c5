/** Icons, banners and themes that are replaced and asked for without end. */
import sharp from "sharp"
import { assert } from "vitest"
import { call, flood, leave, post } from "../clients.ts"
import { answered, attack, print } from "../harness.ts"
import { growthDuring, type Target } from "../target.ts"

const mebibyte = 1024 * 1024

/** By how many megabytes the service may grow: two images of 40 megapixels are decoded at the same time. */
const decodingMax = 400

/** By how many it may grow while it reads themes of 64 MiB. */
const readingMax = 150

const type = "application/octet-stream"

const largest = () =>
  sharp({ create: { width: 6320, height: 6320, channels: 4, background: "teal" } })
    .png()
    .toBuffer()

const upload = async ({ admin, port }: Target, filename: string, body: Uint8Array) => {
  const answer = await call(port, {
    method: "POST",
    path: `/api/assets?filename=${filename}`,
    headers: admin,
    body
  })
  assert.strictEqual(answer.status, 200)
  return String(answer.json.id)
}

export const appearance = (target: () => Target) => {
  attack("icons and banners of 40 megapixels are uploaded", target, async (target) => {
    const image = await largest()
    const uploading = flood(target, 16, (n) => ({
      method: "POST",
      path: n % 4 < 2 ? "/api/info/icon" : "/api/info/banner",
      headers: { ...target.admin, "content-type": type },
      body: image
    }))
    const growth = await growthDuring(target, answered(uploading, 200, 503))
    print(`the service grew by ${Math.round(growth)} MB`)
    assert.isBelow(growth, decodingMax)
    assert.strictEqual((await call(target.port, { path: "/api/info/icon/512x512" })).status, 200)
  })

  attack("icons are uploaded by clients that leave", target, async (target) => {
    const body = Buffer.alloc(5 * mebibyte)
    const shown = await fetch(`http://127.0.0.1:${target.port}/api/info/banner`)
    await leave(target, 16, 100, () => [
      post("/api/info/banner", body.length, type, `Cookie: ${target.admin.cookie}\r\n`),
      body.subarray(0, body.length - 1)
    ])
    const still = await fetch(`http://127.0.0.1:${target.port}/api/info/banner`)
    assert.strictEqual(still.headers.get("etag"), shown.headers.get("etag"))
  })

  attack("everybody asks for the icon, the banner and the theme", target, (target) =>
    answered(
      flood(target, 32, (n) => ({
        path: ["/api/info/icon/512x512", "/api/info/banner", "/api/info/theme"][n % 3] ?? ""
      })),
      200,
      503
    )
  )

  attack("a theme of 64 MiB is put again and again", target, async (target) => {
    const [stylesheets, scripts]: [Array<string>, Array<string>] = [[], []]
    const file = Buffer.alloc(mebibyte, " ")
    for (let n = 0; n < 32; n++) {
      stylesheets.push(await upload(target, `${n}.css`, file))
      scripts.push(await upload(target, `${n}.js`, file))
    }
    const putting = flood(target, 32, () => ({
      method: "PUT",
      path: "/api/admin/theme",
      headers: target.admin,
      body: { stylesheets, scripts }
    }))
    const growth = await growthDuring(target, answered(putting, 200, 503))
    print(`the service grew by ${Math.round(growth)} MB`)
    assert.isBelow(growth, readingMax)
  })
}
