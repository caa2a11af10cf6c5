/**
 * Loaded into a service before it starts: measures the longest turn of its event loop in processor time, which other
 * programs do not lengthen. A signal prints it in milliseconds and begins anew.
 */
let last = process.threadCpuUsage()
let longest = 0
let isMeasuring = false

const turn = () => {
  const now = process.threadCpuUsage()
  longest = Math.max(longest, (now.user + now.system - last.user - last.system) / 1000)
  last = now
  setImmediate(turn)
}

process.on("SIGUSR2", () => {
  process.stdout.write(`longest turn: ${longest.toFixed(1)}\n`)
  longest = 0
  if (!isMeasuring) setImmediate(turn)
  isMeasuring = true
  last = process.threadCpuUsage()
})
