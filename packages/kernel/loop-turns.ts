// Long work in small steps: in each turn of the event loop all who have some share a few milliseconds, so that however
// many there are, everybody else waits no longer.
const turnMs = 4

interface Work {
  step: () => boolean
  resolve(): void
  reject(error: unknown): void
}

const waiting: Work[] = []
/** When the first step of this turn began; undefined before it. */
let startedAt: number | undefined

/** Steps until one says that it was the last. Undefined when all fitted into this turn; throws what a step throws. */
export function inTurns(step: () => boolean): Promise<void> | undefined {
  if (waiting.length === 0 && runSteps(step)) return undefined
  return new Promise((resolve, reject) => {
    waiting.push({ step, resolve, reject })
    if (waiting.length === 1) setImmediate(runWaiting)
  })
}

/** As `map`, for items that may take long each. */
export async function mapInTurns<Item, Result>(items: readonly Item[], map: (item: Item) => Result): Promise<Result[]> {
  const results: Result[] = []
  if (items.length === 0) return results
  await inTurns(() => {
    results.push(map(items[results.length] as Item))
    return results.length === items.length
  })
  return results
}

function runSteps(step: () => boolean): boolean {
  if (startedAt === undefined) {
    startedAt = performance.now()
    setImmediate(endTurn)
  }
  while (performance.now() - startedAt < turnMs) {
    if (step()) return true
  }
  return false
}

function endTurn(): void {
  startedAt = undefined
}

/** Whoever did not get to an end goes behind the others. */
function runWaiting(): void {
  startedAt = performance.now()
  for (let left = waiting.length; left > 0 && performance.now() - startedAt < turnMs; left--) {
    const work = waiting.shift() as Work
    try {
      if (runSteps(work.step)) work.resolve()
      else waiting.push(work)
    } catch (error) {
      work.reject(error)
    }
  }
  setImmediate(waiting.length > 0 ? runWaiting : endTurn)
}
