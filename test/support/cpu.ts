/**
 * The processor time that this thread takes for something, in milliseconds. What other threads and programs take
 * meanwhile is not counted.
 */
export const processorMillis = (run: () => void): number => {
  const started = process.threadCpuUsage()
  run()
  const { system, user } = process.threadCpuUsage(started)
  return (system + user) / 1000
}
