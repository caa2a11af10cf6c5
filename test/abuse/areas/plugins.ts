/** Plugins that misbehave: programs that connect from elsewhere, and programs that the service runs. */
import { assert } from "vitest"
import { call, duration, forwarded, repeat, wait } from "../clients.ts"
import { answered, attack, print, whileOthersWrite } from "../harness.ts"
import {
  type Added,
  addExternal,
  addSupervised,
  configure,
  connected,
  connectedInTime,
  flood,
  frame,
  knock,
  remove,
  setActive
} from "../plugins.ts"
import { growthDuring, type Target } from "../target.ts"

/** By how many megabytes the service may grow while plugins send, or leave unread, as much as they can. */
const growthMax = 150

const mebibyte = 1024 * 1024

const someone = "sdprt_00000000000000000000000000000000"

const many = (target: Target, count: number): Promise<ReadonlyArray<Added>> =>
  Promise.all(Array.from({ length: count }, () => addExternal(target)))

const removeAll = (target: Target, plugins: ReadonlyArray<Added>) =>
  Promise.all(plugins.map(({ id }) => remove(target, id)))

type Flood = Parameters<typeof flood>[2]

/** Lets some plugins send this without end while others write, and holds how much the service grows. */
const flooded = async (
  target: Target,
  count: number,
  flooding: Flood,
  prepare: (plugin: Added) => Promise<void> = async () => {}
) => {
  const plugins = await many(target, count)
  await Promise.all(plugins.map(prepare))
  let closings: Awaited<ReturnType<typeof flood>> = new Map()
  const growth = await growthDuring(
    target,
    whileOthersWrite(
      target,
      flood(plugins, duration, flooding).then((found) => {
        closings = found
      })
    )
  )
  print(`closed by ${JSON.stringify([...closings])}; the service grew by ${Math.round(growth)} MB`)
  assert.isBelow(growth, growthMax)
  await removeAll(target, plugins)
  return closings
}

/** Runs a plugin that misbehaves, whatever becomes of it, and holds that it can be stopped and removed. */
const supervise = async (target: Target, behaviour: string, lasting = duration) => {
  const id = await addSupervised(target, behaviour)
  const activating = setActive(target, id, "active")
  await whileOthersWrite(target, Promise.race([activating, wait(lasting)]))
  await wait(lasting)
  const { json, status } = await setActive(target, id, "inactive")
  assert.strictEqual(status, 200)
  assert.strictEqual(json.status.active_state, "inactive")
  await activating
  await remove(target, id)
}

const connections = (target: () => Target) => {
  attack("plugins send calls as fast as they can", target, async (target) => {
    const frameOf = (n: number) => frame({ id: `${n}`, method: n % 2 === 0 ? "get_config" : "access_get" })
    await flooded(target, 16, { frameOf })
  })

  attack("plugins answer what nobody has asked", target, async (target) => {
    const frameOf = (n: number) => frame({ id: `${n}`, result: { method: "event", ok: false } })
    await flooded(target, 16, { frameOf })
  })

  attack("plugins send what is no frame", target, async (target) => {
    const texts = ["no JSON", "[]", `${"[".repeat(100_000)}`, '{"id": null}']
    const closings = await flooded(target, 4, { frameOf: (n) => texts[n % texts.length] ?? "", frames: 1 })
    assert.isAbove(closings.get(1007) ?? 0, 0)
  })

  attack("plugins ask with long ids, and take none of the answers", target, async (target) => {
    const id = "x".repeat(mebibyte)
    await flooded(target, 4, {
      frameOf: (n) => frame({ id: `${id}${n}`, method: "get_config" }),
      reads: false
    })
  })

  attack("plugins ask for long configurations, and take none of them", target, async (target) => {
    const prepare = (plugin: Added) => configure(target, plugin, { text: "x".repeat(60_000) })
    const frameOf = (n: number) => frame({ id: `${n}`, method: "get_config" })
    await flooded(target, 16, { frameOf, reads: false }, prepare)
  })

  attack("plugins send frames of as many values as they may have, and of more", target, async (target) => {
    const valued = (count: number) =>
      frame({
        id: "1",
        method: "get_config",
        params: Object.fromEntries(Array.from({ length: count }, (_, n) => [`key ${n}`, {}]))
      })
    const frames = [valued(12_000), valued(100_000), frame({ method: "x", params: Array(mebibyte).fill([]) })]
    await flooded(target, 16, { frameOf: (n) => frames[n % 3] ?? "", frames: 3 })
  })

  attack(
    "plugins send frames that are as long as they may be, compressed, and no text",
    target,
    async (target) => {
      const long = "x".repeat(4 * mebibyte)
      const short = Buffer.from("x")
      await flooded(target, 4, { frameOf: () => long, perMessageDeflate: true })
      await flooded(target, 8, { frameOf: (n) => (n % 20 === 0 ? Buffer.from(long) : short), frames: 200 })
    }
  )

  attack("plugins send frames that are too long, and some that expand to that", target, async (target) => {
    const long = "x".repeat(4 * mebibyte + 1)
    const frameOf = () => long
    const closings = await flooded(target, 2, { frameOf, frames: 1 })
    assert.isAbove(closings.get(1009) ?? 0, 0)
    const expanded = await flooded(target, 2, { frameOf, frames: 1, perMessageDeflate: true })
    assert.isAbove(expanded.get(1009) ?? 0, 0)
  })

  attack("plugins never answer to new configurations", target, async (target) => {
    const plugins = await many(target, 8)
    const sockets = await Promise.all(plugins.map(({ address }) => connected(address)))
    const configuring = repeat(64, async (n, agent) => {
      const path = `/api/plugins/${plugins[n % plugins.length]?.id}/configuration`
      const body = { n }
      return (await call(target.port, { agent, method: "PATCH", path, headers: target.admin, body })).status
    })
    await whileOthersWrite(target, configuring)
    for (const socket of sockets) socket.terminate()
    await removeAll(target, plugins)
  })
}

const attempts = (target: () => Target) => {
  const rpc = ({ port }: Target) => `ws://127.0.0.1:${port}/rpc`

  attack("a network tries tokens without end, and a plugin of another connects", target, async (target) => {
    const plugin = await addExternal(target)
    const headers = forwarded("198.51.100.7")
    const trying = answered(
      repeat(32, () => knock(`${rpc(target)}?token=${someone}`, { headers })),
      503,
      401
    )
    const connecting = wait(duration / 2).then(() =>
      connectedInTime(plugin.address, { headers: forwarded("198.51.100.8") })
    )
    const [statuses] = await Promise.all([trying, connecting])
    // It was looked up until it was wrong too often, and those with it who had been let in by then.
    assert.isAtMost(statuses.get(401) ?? 0, 60 + 16 + 60 + 16)
    assert.strictEqual(await knock(plugin.address, { headers }), 503)
    await remove(target, plugin.id)
  })

  attack("thousands of programs of many networks try to connect", target, async (target) => {
    const plugin = await addExternal(target)
    const trying = answered(
      repeat(100, (n) =>
        knock(`${rpc(target)}?token=${someone}`, { headers: forwarded(`203.0.${n >> 8}.${n & 255}`) })
      ),
      401,
      503
    )
    await whileOthersWrite(target, trying)
    await connectedInTime(plugin.address, { headers: forwarded("198.51.100.9") })
    await remove(target, plugin.id)
  })
}

const supervised = (target: () => Target) => {
  const behaviours = {
    forks: "a plugin starts processes without end",
    grows: "a plugin takes more and more memory",
    fills: "a plugin fills its disk",
    writes: "a plugin writes into its log without end",
    opens: "a plugin opens thousands of files",
    asks: "a plugin asks for access without end",
    "exits at once": "a plugin ends at its start",
    "exits when it is connected": "a plugin ends when it has connected",
    "exits when it is told of something": "a plugin ends when it is told of something",
    leaves: "a plugin ends a moment later"
  }
  for (const [behaviour, title] of Object.entries(behaviours)) {
    attack(title, target, (target) => supervise(target, behaviour))
  }
}

export const plugins = (target: () => Target) => {
  connections(target)
  attempts(target)
  supervised(target)
}
