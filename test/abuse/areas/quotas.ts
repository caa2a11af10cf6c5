/** Accounts cost nothing, and whoever has many of them fills no more of the disk than one network may. */
import { assert } from "vitest"
import { call, flood, forwarded, somebodyElse } from "../clients.ts"
import { answered, attack, whileOthersWrite } from "../harness.ts"
import type { Target } from "../target.ts"

const mebibyte = 1024 * 1024

/** So small that a slow machine uses all of them, too, while an attack lasts; in mebibytes. */
const networkQuota = 4
const instanceQuota = 10

export const smallQuotas = {
  UPLOAD_MEGABYTES_PER_DAY_NETWORK: String(networkQuota),
  UPLOAD_MEGABYTES_PER_DAY_INSTANCE: String(instanceQuota)
}

/** The files of a byte that a mebibyte of a quota admits: each counts as 64 KiB. */
const smallestPerMebibyte = 16

const fill = (target: Target, body: Uint8Array, from: (n: number) => string) =>
  answered(
    flood(target, 32, (n) => ({
      method: "POST",
      path: "/api/assets",
      headers: { ...target.members(n % 150).headers, ...forwarded(from(n)) },
      body
    })),
    429,
    200,
    503
  )

const kept = async (target: Target) => (await target.files("files")).length

const uploadElsewhere = (target: Target) =>
  call(target.port, {
    agent: somebodyElse,
    method: "POST",
    path: "/api/assets",
    headers: target.members(190).headers,
    body: Buffer.from("somebody else's")
  })

export const quotas = (target: () => Target) => {
  attack("a hundred accounts of a network upload files of a byte", target, async (target) => {
    const before = await kept(target)
    await whileOthersWrite(
      target,
      fill(target, Buffer.from("x"), () => "198.51.100.1")
    )
    assert.strictEqual(await kept(target), before + networkQuota * smallestPerMebibyte)
    assert.strictEqual((await uploadElsewhere(target)).status, 200)
  })

  attack("a hundred accounts of a network upload files of a mebibyte", target, async (target) => {
    const before = await kept(target)
    await whileOthersWrite(
      target,
      fill(target, Buffer.alloc(mebibyte), () => "198.51.100.2")
    )
    assert.strictEqual(await kept(target), before + networkQuota)
    assert.strictEqual((await uploadElsewhere(target)).status, 200)
  })

  attack("many networks upload until the instance takes no more", target, async (target) => {
    const before = await kept(target)
    await whileOthersWrite(
      target,
      fill(target, Buffer.from("x"), (n) => `203.0.113.${n % 32}`)
    )
    const left = (instanceQuota - 2 * networkQuota) * smallestPerMebibyte
    // The two files of somebody else count, too.
    assert.strictEqual((await kept(target)) - before, left - 2)
    const { json, status } = await uploadElsewhere(target)
    assert.strictEqual(status, 429)
    assert.strictEqual(json.metadata.quota, "instance")
  })
}
