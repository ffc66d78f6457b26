// Runs in a thread of its own: holds the indexes, searches them, and builds them while nobody asks.
import { parentPort, workerData } from 'node:worker_threads'
import type { Answered, Asked, IndexRequest, IndexSettings } from './index-protocol.ts'
import { Shelf } from './shelf.ts'

/** Ingestion comes in bursts; a file is written when one is over. */
const quietMs = 1_000

if (!parentPort) throw new Error('the indexes live in a worker thread')
const port = parentPort
const settings = workerData as IndexSettings
const shelves = new Map<string, Shelf>()
/** Answers held back until there is room, or nothing left to do. */
const whenRoom: (() => void)[] = []
let whenSettled: { shelf: Shelf; answer: () => void }[] = []
let building = false
let quiet: NodeJS.Timeout | undefined

port.on('message', ({ id, request }: Asked) => {
  try {
    handle(request, (answer) => port.postMessage({ id, ...answer } as Answered))
  } catch (error) {
    port.postMessage({ id, error: error instanceof Error ? error.message : String(error) } satisfies Answered)
  }
  buildSoon()
})

type Answer = (answer: { state: Shelf['state'] | undefined } | { nearest: ReturnType<Shelf['search']> }) => void

function handle(request: IndexRequest, answer: Answer): void {
  if (request.kind === 'open') shelves.set(request.key, new Shelf(request, settings))
  const shelf = shelves.get(request.key)
  if (!shelf) {
    if (request.kind !== 'drop') throw new Error(`the collection ${request.key} is not open`)
    answer({ state: undefined })
    return
  }
  const tellState = () => answer({ state: shelf.state })
  if (request.kind === 'search') answer({ nearest: shelf.search(request.vector, request.count) })
  else if (request.kind === 'open') tellState()
  else if (request.kind === 'drop') drop(request, shelf, answer)
  else if (request.kind === 'settle') whenSettled.push({ shelf, answer: tellState })
  else extend(request, shelf, tellState)
}

function extend(request: Extract<IndexRequest, { kind: 'extend' }>, shelf: Shelf, tellState: () => void): void {
  shelf.extend(request.numbers, request.vectors)
  if (shelf.canAbsorb && waitingBytes() > settings.maxWaitingBytes) whenRoom.push(tellState)
  else tellState()
}

function drop(request: Extract<IndexRequest, { kind: 'drop' }>, shelf: Shelf, answer: Answer): void {
  if (request.removeFile) shelf.removeFile()
  else if (shelf.isWorthSaving) save(shelf)
  shelves.delete(request.key)
  answer({ state: undefined })
}

const isHeld = (shelf: Shelf): boolean => [...shelves.values()].includes(shelf)

const waitingBytes = (): number => [...shelves.values()].reduce((sum, shelf) => sum + shelf.waitingBytes, 0)

/** Between two steps the messages that came get their turn. */
function buildSoon(): void {
  if (building) return
  building = true
  setImmediate(build)
}

function build(): void {
  building = false
  const shelf = [...shelves.values()].find(({ canAbsorb }) => canAbsorb)
  if (shelf) {
    shelf.absorbSome()
    if (shelf.canAbsorb && shelf.isWorthSaving) save(shelf)
    buildSoon()
  }
  if (whenRoom.length > 0 && (!shelf || waitingBytes() <= settings.maxWaitingBytes)) {
    for (const goOn of whenRoom.splice(0)) goOn()
  }
  answerSettled()
  clearTimeout(quiet)
  quiet = setTimeout(saveAll, quietMs)
  quiet.unref()
}

function answerSettled(): void {
  const all = whenSettled
  whenSettled = all.filter(({ shelf }) => shelf.canAbsorb && isHeld(shelf))
  for (const { shelf, answer } of all) {
    if (shelf.canAbsorb && isHeld(shelf)) continue
    if (isHeld(shelf)) save(shelf)
    answer()
  }
}

function saveAll(): void {
  for (const shelf of shelves.values()) if (shelf.isWorthSaving) save(shelf)
}

/** Nothing is lost without the file: the next start has more to do. */
function save(shelf: Shelf): void {
  try {
    shelf.save()
  } catch (error) {
    port.postMessage({ id: 0, warning: error instanceof Error ? error.message : String(error) } satisfies Answered)
  }
}
