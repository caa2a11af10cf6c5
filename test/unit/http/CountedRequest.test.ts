import { Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { CountedRequest } from "../../../src/layers/connections/CountedRequest.ts"

class Request extends CountedRequest {
  isKept = true
  protected override bodyArrived() {
    return this.isKept
  }
}

const bytes = (length: number, from = 0) => Buffer.from(Array.from({ length }, (_, n) => (from + n) % 256))

/** The lengths of the parts that the application gets. */
const partsOf = (request: Request) => {
  const parts: Array<Buffer> = []
  for (let part = request.read(); part !== null; part = request.read()) parts.push(part)
  return parts
}

const sizes = [1, 2, 16, 100, 5000, 16_383]

describe("the parts of a body", () => {
  it("are gathered, and nothing of them is lost or changes its place", () => {
    for (const size of sizes) {
      const request = new Request(new Socket())
      const whole = bytes(40_000)
      const received: Array<Buffer> = []
      request.on("data", (part: Buffer) => received.push(part))
      for (let at = 0; at < whole.length; at += size) request.push(whole.subarray(at, at + size))
      request.push(null)
      const parts = [...received, ...partsOf(request)]
      expect(Buffer.concat(parts).equals(whole)).toBe(true)
      expect(parts.length).toBeLessThanOrEqual(Math.ceil(40_000 / Math.min(size * 3, 10_000)) + 1)
    }
  })

  it("are passed on as they are if they are large", () => {
    const request = new Request(new Socket())
    request.push(bytes(10))
    const large = bytes(20_000, 10)
    request.push(large)
    request.push(null)
    expect(partsOf(request).map(({ length }) => length)).toEqual([10, 20_000])
  })

  it("are kept in few buffers while the application takes none", () => {
    const request = new Request(new Socket())
    let takesMore = true
    let pushed = 0
    while (takesMore && pushed < 200_000) {
      takesMore = request.push(bytes(1))
      pushed++
    }
    // The stream is full, and what is gathered beside it is full next.
    expect(request.readableLength).toBeLessThanOrEqual(request.readableHighWaterMark)
    expect(pushed - request.readableLength).toBeLessThanOrEqual(16 * 1024)
  })

  it("are too many when they are many and small", () => {
    const request = new Request(new Socket())
    for (let n = 0; n < 4096; n++) request.push(bytes(1))
    expect(request.hasTooManyParts()).toBe(false)
    for (let n = 0; n < 66; n++) request.push(bytes(1))
    expect(request.hasTooManyParts()).toBe(true)
    const large = new Request(new Socket())
    for (let n = 0; n < 10_000; n++) large.push(bytes(64))
    expect(large.hasTooManyParts()).toBe(false)
  })

  it("leave nothing when they are not kept", () => {
    const request = new Request(new Socket())
    request.push(bytes(10))
    request.isKept = false
    request.push(bytes(10))
    request.push(null)
    expect(partsOf(request)).toEqual([])
  })
})
