import { Socket } from "node:net"
import { beforeEach, describe, expect, it } from "vitest"
import { CountedRequest } from "../../../src/layers/connections/CountedRequest.ts"
import { makePace, type Pace } from "../../../src/layers/connections/Pace.ts"

const mebibyte = 1024 * 1024

let time = 0
let pace: Pace

class Request extends CountedRequest {
  protected override bodyArrived() {
    pace.advance(this)
    return true
  }
}

/** Whether this one is late, and no other. */
const isLate = (request: Request) => {
  const late = pace.late()
  return late.length === 1 && late[0] === request
}

const begin = () => {
  const request = new Request(new Socket())
  pace.begin(request)
  return request
}

beforeEach(() => {
  time = 1000
  pace = makePace(100, () => time)
})

/** So much of a body arrives, and the application takes it. */
const arrive = (request: Request, bytes: number) => {
  request.push(Buffer.alloc(bytes))
  request.read()
}

describe("the pace of a body", () => {
  it("is that of its parts: each mebibyte has the same time", () => {
    const request = begin()
    for (let part = 0; part < 5; part++) {
      time += 99
      expect(pace.late()).toHaveLength(0)
      arrive(request, mebibyte)
    }
    time += 100
    expect(isLate(request)).toBe(true)
  })

  it("is not kept by parts that are smaller", () => {
    const request = begin()
    for (let part = 0; part < 10; part++) {
      time += 10
      arrive(request, mebibyte / 20)
    }
    expect(isLate(request)).toBe(true)
  })

  it("is looked at once", () => {
    begin()
    time += 100
    expect(pace.late()).toHaveLength(1)
    expect(pace.late()).toHaveLength(0)
  })

  it("does not count the time in which the application takes nothing", () => {
    const request = begin()
    request.push(Buffer.alloc(2 * mebibyte))
    time += 1000
    expect(pace.late()).toHaveLength(0)
    request.read()
    time += 99
    expect(pace.late()).toHaveLength(0)
    time += 1
    expect(isLate(request)).toBe(true)
  })

  it("is nothing to one that is complete, or over", () => {
    const [complete, over] = [begin(), begin()]
    complete.complete = true
    pace.end(over)
    time += 1000
    expect(pace.late()).toHaveLength(0)
  })
})
