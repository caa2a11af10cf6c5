import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { type SenderBounds, Senders } from "../../../src/http/bytes/Senders.ts"

const roomy: SenderBounds = {
  sending: 4,
  ofAccount: 2,
  ofNetwork: 3,
  present: 100,
  presentOfAccount: 16,
  fairTime: 5000
}

/** Uploads by name, of which the account is the first letter and the network the second: `a1x`. */
const start = (bounds: Partial<SenderBounds> = {}) => {
  let time = 0
  const senders = new Senders({ ...roomy, ...bounds }, () => time)
  const log: Array<string> = []
  const arrive = (name: string) => {
    const sender = senders.arrive({
      account: name.charAt(0),
      network: name.charAt(1),
      begin: () => log.push(`${name} begins`),
      refuse: () => log.push(`${name} is refused`),
      end: () => log.push(`${name} ends`),
      extend: () => log.push(`${name} has more time`)
    })
    if (sender === undefined) log.push(`${name} finds no room`)
    sender?.await()
    return {
      leave: () => sender?.leave(),
      await: () => sender?.await(),
      advance: () => sender?.advance(),
      /** So many bytes arrive, and more are waited for. */
      got: (bytes: number) => {
        sender?.got(bytes)
        sender?.await()
      },
      /** They arrive, and are worked on. */
      gotLast: (bytes: number) => sender?.got(bytes)
    }
  }
  /** What has happened since the last time. */
  const happened = () => log.splice(0)
  const pass = (milliseconds: number) => {
    time += milliseconds
  }
  return { arrive, happened, pass, look: () => senders.giveTurns() }
}

describe("senders", () => {
  it("are two of an account; the others wait for these, and have as much time as they", () => {
    const { arrive, happened } = start()
    const [first] = ["a1", "a1'", "a1''"].map(arrive)
    assert.deepStrictEqual(happened(), ["a1 begins", "a1' begins"])
    arrive("b1")
    assert.deepStrictEqual(happened(), ["b1 begins"])
    first?.advance()
    assert.deepStrictEqual(happened(), ["a1'' has more time"])
    first?.leave()
    first?.leave()
    assert.deepStrictEqual(happened(), ["a1'' begins"])
  })

  it("leave places to other networks, however many accounts they have", () => {
    const { arrive, happened } = start()
    const [first] = ["a1", "b1", "c1", "d1", "e2"].map(arrive)
    assert.deepStrictEqual(happened(), ["a1 begins", "b1 begins", "c1 begins", "e2 begins"])
    first?.leave()
    assert.deepStrictEqual(happened(), ["d1 begins"])
  })

  it("have their turns by how many places their network has, and then in order", () => {
    const { arrive, happened } = start({ sending: 3 })
    const [a, b, c] = ["a1", "b1", "c2", "d1", "e2", "f3", "g3"].map(arrive)
    happened()
    a?.leave()
    b?.leave()
    c?.leave()
    assert.deepStrictEqual(happened(), ["f3 begins", "d1 begins", "e2 begins"])
  })

  it("give way when all places are taken: the slowest of the networks that have most", () => {
    const { arrive, happened, look, pass } = start()
    const [a, b, c, d] = ["a1", "b1", "c2", "d2"].map(arrive)
    for (const [sender, bytes] of [
      [a, 700],
      [b, 400],
      [c, 300],
      [d, 500]
    ] as const) {
      sender?.got(bytes)
    }
    happened()
    pass(4999)
    const e = arrive("e3")
    assert.deepStrictEqual(happened(), [])
    pass(1)
    look()
    assert.deepStrictEqual(happened(), ["c2 ends", "e3 begins"])
    // Its network has fewer than the other, which has two.
    arrive("f2")
    assert.deepStrictEqual(happened(), ["b1 ends", "f2 begins"])
    ;["g1", "h3"].map(arrive)
    assert.deepStrictEqual(happened(), ["d2 ends", "g1 begins", "a1 ends", "h3 begins"])
    // Nobody else had time yet to show how fast they are.
    arrive("i4")
    assert.deepStrictEqual(happened(), [])
    e.leave()
    assert.deepStrictEqual(happened(), ["i4 begins"])
  })

  it("give way to their own network where no other has more", () => {
    const { arrive, happened, pass } = start()
    const [a, , c] = ["a1", "b1", "c2", "d2"].map(arrive)
    a?.got(10)
    c?.got(1)
    pass(5000)
    happened()
    arrive("e1")
    assert.deepStrictEqual(happened(), ["b1 ends", "e1 begins"])
  })

  it("that wait for their account make nobody give way", () => {
    const { arrive, happened, pass } = start()
    ;["a1", "a1'", "b1", "c2"].map(arrive)
    pass(9000)
    happened()
    arrive("a2")
    assert.deepStrictEqual(happened(), [])
  })

  it("are as slow as the service waits for them, not as it works", () => {
    const { arrive, happened, look, pass } = start({ sending: 2 })
    const [a, b] = ["a1", "b1"].map(arrive)
    a?.gotLast(10)
    b?.got(1000)
    happened()
    pass(6000)
    arrive("c2")
    assert.deepStrictEqual(happened(), ["b1 ends", "c2 begins"])
    arrive("d3")
    a?.await()
    pass(4999)
    look()
    assert.deepStrictEqual(happened(), [])
    pass(1)
    look()
    // Both have been waited for as long now.
    assert.deepStrictEqual(happened(), ["c2 ends", "d3 begins"])
  })

  it("are refused when many of their account are there", () => {
    const { arrive, happened } = start({ presentOfAccount: 4 })
    const [first] = ["a1", "a1", "a1", "a1"].map(arrive)
    happened()
    arrive("a2")
    assert.deepStrictEqual(happened(), ["a2 finds no room"])
    first?.leave()
    happened()
    arrive("a2")
    assert.deepStrictEqual(happened(), [])
  })

  it("that wait give way to networks of which fewer wait, the newest first", () => {
    const { arrive, happened } = start({ sending: 1, present: 6 })
    ;["a1", "b1", "c1", "d1", "e2", "f1"].map(arrive)
    happened()
    arrive("g1")
    assert.deepStrictEqual(happened(), ["g1 finds no room"])
    arrive("h2")
    assert.deepStrictEqual(happened(), ["f1 is refused"])
    // As many would wait of the one as do of the other.
    arrive("i2")
    assert.deepStrictEqual(happened(), ["i2 finds no room"])
    arrive("j3")
    assert.deepStrictEqual(happened(), ["d1 is refused"])
    arrive("k4")
    assert.deepStrictEqual(happened(), ["h2 is refused"])
  })

  it("are never more than may be, and nobody waits while there is a place", () => {
    const actions = FastCheck.array(
      FastCheck.tuple(FastCheck.constantFrom("arrive", "leave", "pass"), FastCheck.nat(5), FastCheck.nat(2)),
      { maxLength: 80 }
    )
    FastCheck.assert(
      FastCheck.property(actions, (steps) => {
        const bounds = { ...roomy, present: 8, presentOfAccount: 4 }
        let time = 0
        const senders = new Senders(bounds, () => time)
        type State = "waiting" | "sending" | "over"
        const all: Array<{ account: string; network: string; state: State; leave: () => void }> = []
        const inState = (state: State) => all.filter((one) => one.state === state)
        for (const [action, n, network] of steps) {
          if (action === "pass") {
            time += 2000
            senders.giveTurns()
          } else if (action === "leave") {
            const one = all.filter(({ state }) => state !== "over")[n]
            if (one !== undefined) {
              one.state = "over"
              one.leave()
            }
          } else {
            const one = { account: `${n}`, network: `${network}`, state: "waiting" as State, leave: () => {} }
            all.push(one)
            const sender = senders.arrive({
              ...one,
              begin: () => {
                assert.strictEqual(one.state, "waiting")
                one.state = "sending"
              },
              refuse: () => {
                assert.strictEqual(one.state, "waiting")
                one.state = "over"
              },
              end: () => {
                assert.strictEqual(one.state, "sending")
                one.state = "over"
              },
              extend: () => {}
            })
            sender?.await()
            if (sender === undefined) one.state = "over"
            else one.leave = sender.leave
          }
          const sending = inState("sending")
          const waiting = inState("waiting")
          const ofAccount = (account: string) => sending.filter((one) => one.account === account).length
          const ofNetwork = (network: string) => sending.filter((one) => one.network === network).length
          assert.isAtMost(sending.length, bounds.sending)
          assert.isAtMost(sending.length + waiting.length, bounds.present)
          for (const { account, network } of sending) {
            assert.isAtMost(ofAccount(account), bounds.ofAccount)
            assert.isAtMost(ofNetwork(network), bounds.ofNetwork)
          }
          if (sending.length === bounds.sending) continue
          for (const { account, network } of waiting) {
            assert.isTrue(ofAccount(account) === bounds.ofAccount || ofNetwork(network) === bounds.ofNetwork)
          }
        }
      })
    )
  })
})
