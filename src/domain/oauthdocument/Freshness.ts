/** Which documents need not be fetched again yet. */

/** Documents that are known to be fresh. */
const freshMax = 4096

/** Until when documents are fresh, by their addresses; those that were fetched longest ago give way. */
export const makeFreshness = (maximum = freshMax) => {
  const until = new Map<string, number>()
  return {
    isFresh: (clientId: string, now: number): boolean => (until.get(clientId) ?? 0) > now,
    note: (clientId: string, end: number, now: number): void => {
      until.delete(clientId)
      if (end <= now) return
      until.set(clientId, end)
      const [oldest] = until.keys()
      if (until.size > maximum && oldest !== undefined) until.delete(oldest)
    }
  } as const
}
