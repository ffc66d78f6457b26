// What tests have made is taken away after them, the newest first. Test files share a process, so a module may ask for
// this once for each thing, not once for all when it is loaded.
type Work = () => Promise<void> | void

const afterTestWork: Work[] = []
const afterFileWork: Work[] = []

export const afterTest = (work: Work): void => void afterTestWork.push(work)

export const afterFile = (work: Work): void => void afterFileWork.push(work)

/** Made when first asked for, and anew in the next test file. */
export function oncePerFile<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  const forget = (): void => {
    made = undefined
  }
  return () => {
    if (made === undefined) afterFile(forget)
    made ??= make()
    return made
  }
}

export const endTest = (): Promise<void> => doAll(afterTestWork)

export const endFile = (): Promise<void> => doAll(afterFileWork)

async function doAll(work: Work[]): Promise<void> {
  const errors: unknown[] = []
  for (const one of work.splice(0).reverse()) {
    try {
      await one()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'What tests made stays.')
}
