/** Bounds of processor time are those of a machine; a slower one needs longer for the same work. */

const rows = Array.from({ length: 20_000 }, (_, n) => ({
  id: `row-${n}`,
  n,
  tags: ["one", "two"],
  text: "word ".repeat(8)
}))

/** What the work takes on the machine for which bounds are written, in milliseconds of its processor. */
const usual = 10

const work = () => {
  const before = process.threadCpuUsage()
  JSON.parse(JSON.stringify(rows))
  const { system, user } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** By how much this machine is slower than that one now; 1 where it is as fast, or faster. */
export const slowness = () => Math.max(1, Math.min(...Array.from({ length: 5 }, work)) / usual)
