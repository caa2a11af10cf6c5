/** The same items, of which there are no more once the signal says so, whatever is waited for then. */
export const untilAborted = async function* <A>(
  items: AsyncIterable<A>,
  signal: AbortSignal
): AsyncGenerator<A> {
  const iterator = items[Symbol.asyncIterator]()
  const next = () =>
    new Promise<IteratorResult<A>>((resolve, reject) => {
      const stop = () => reject(signal.reason)
      if (signal.aborted) return stop()
      signal.addEventListener("abort", stop, { once: true })
      iterator
        .next()
        .then(resolve, reject)
        .finally(() => signal.removeEventListener("abort", stop))
    })
  try {
    for (let step = await next(); step.done !== true; step = await next()) yield step.value
  } finally {
    // Not waited for: what it waits for may never come.
    iterator.return?.(undefined).catch(() => {})
  }
}
