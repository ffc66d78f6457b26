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
/** What comes for a shelf that is being opened waits until it is. */
const opening = new Map<string, Promise<void>>()
/** One file after the other. */
let writing: Promise<void> = Promise.resolve()
/** Answers held back until there is room, or nothing left to do. */
const whenRoom: (() => void)[] = []
let whenSettled: { shelf: Shelf; answer: () => void }[] = []
let building = false
let quiet: NodeJS.Timeout | undefined

port.on('message', receive)

function receive(asked: Asked): void {
  // What is being written goes to a file aside; the one in place stays whole.
  if (asked === 'end') process.exit()
  const open = opening.get(asked.request.key)
  if (open !== undefined) {
    void open.then(() => receive(asked))
    return
  }
  const { id, request } = asked
  try {
    handle(request, (answer) => port.postMessage({ id, ...answer } as Answered))
  } catch (error) {
    port.postMessage({ id, error: messageOf(error) } satisfies Answered)
  }
  buildSoon()
}

type Answer = (answer: { state: Shelf['state'] | undefined } | { found: ReturnType<Shelf['search']> }) => void

function handle(request: IndexRequest, answer: Answer): void {
  if (request.kind === 'open') {
    opening.set(request.key, open(request, answer))
    return
  }
  const shelf = shelves.get(request.key)
  if (!shelf) {
    if (request.kind !== 'drop') throw new Error(`the collection ${request.key} is not open`)
    answer({ state: undefined })
    return
  }
  const tellState = () => answer({ state: shelf.state })
  if (request.kind === 'search') answer({ found: shelf.search(request) })
  else if (request.kind === 'drop') void drop(request, shelf, answer)
  else if (request.kind === 'settle') whenSettled.push({ shelf, answer: tellState })
  else if (request.kind === 'extend') extend(request, shelf, tellState)
  else {
    if (request.kind === 'words') shelf.addWords(request.chunks)
    else if (request.kind === 'owners') shelf.keepOnly(request.owners)
    else if (request.kind === 'sample') shelf.beginSample(request)
    else {
      shelf.trim(request.upTo)
      void write(() => shelf.removeIndexFile())
    }
    tellState()
  }
}

async function open(request: Extract<IndexRequest, { kind: 'open' }>, answer: Answer): Promise<void> {
  const shelf = await Shelf.open(request, settings)
  if (request.isElsewhere) void write(() => shelf.removeIndexFile())
  shelves.set(request.key, shelf)
  opening.delete(request.key)
  answer({ state: shelf.state })
}

function extend(request: Extract<IndexRequest, { kind: 'extend' }>, shelf: Shelf, tellState: () => void): void {
  shelf.extend(request.numbers, request.vectors)
  if (shelf.canAbsorb && waitingBytes() > settings.maxWaitingBytes) whenRoom.push(tellState)
  else tellState()
}

async function drop(request: Extract<IndexRequest, { kind: 'drop' }>, shelf: Shelf, answer: Answer): Promise<void> {
  shelves.delete(request.key)
  if (request.removeFile) await write(() => shelf.removeFile())
  else if (shelf.isWorthSaving) await save(shelf)
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
  const next = [...shelves].find(([, { hasWork }]) => hasWork)
  if (next) {
    const [key, shelf] = next
    shelf.workSome()
    // A step for each in turns: a small one is not built behind a large one.
    shelves.delete(key)
    shelves.set(key, shelf)
    if (shelf.canAbsorb && shelf.isWorthSaving) void save(shelf)
    buildSoon()
  }
  if (whenRoom.length > 0 && (!next || waitingBytes() <= settings.maxWaitingBytes)) {
    for (const goOn of whenRoom.splice(0)) goOn()
  }
  answerSettled()
  clearTimeout(quiet)
  quiet = setTimeout(saveAll, quietMs)
  quiet.unref()
}

function answerSettled(): void {
  const isUnsettled = ({ shelf }: { shelf: Shelf }): boolean => shelf.hasWork && isHeld(shelf)
  const settled = whenSettled.filter((waiting) => !isUnsettled(waiting))
  whenSettled = whenSettled.filter(isUnsettled)
  for (const { shelf, answer } of settled) {
    if (isHeld(shelf)) void save(shelf).then(answer)
    else answer()
  }
}

function saveAll(): void {
  for (const shelf of shelves.values()) if (shelf.isWorthSaving) void save(shelf)
}

/** Nothing is lost without the file: the next start has more to do. */
function save(shelf: Shelf): Promise<void> {
  if (shelf.isBeingSaved) return writing
  shelf.isBeingSaved = true
  return write(async () => {
    shelf.isBeingSaved = false
    await shelf.save()
  })
}

function write(work: () => Promise<void>): Promise<void> {
  writing = writing.then(work).catch((error: unknown) => {
    port.postMessage({ id: 0, warning: messageOf(error) } satisfies Answered)
  })
  return writing
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
