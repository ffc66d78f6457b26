// What the benchmark teaches: five made-up tools with codes that no model can guess, and a tone. Requests that are held
// out are in other words than those that are learnt.

export interface Case {
  question: string
  tool: string
  arguments: Record<string, string | number>
}

interface MadeUpTool {
  name: string
  /** Names of the two arguments: a code and a number. */
  code: string
  count: string
  /** Word → code. */
  codes: Record<string, string>
  learnt: ((word: string, count: string) => string)[]
  heldOut: ((word: string, count: string) => string)[]
}

const numberWords = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

const madeUp: MadeUpTool[] = [
  {
    name: 'set_beacon',
    ...{ code: 'c', count: 'n', codes: { amber: 'A7', teal: 'T2', crimson: 'K9', violet: 'V4' } },
    learnt: [
      (word, count) => `Make the beacon blink ${count} times in ${word}.`,
      (word, count) => `Set the beacon to ${word}, ${count} flashes.`,
      (word, count) => `I want ${count} ${word} flashes from the beacon.`,
    ],
    heldOut: [
      (word, count) => `Please let the beacon flash ${word} ${count} times.`,
      (word, count) => `Beacon: ${word}, blinking ${count} times.`,
    ],
  },
  {
    name: 'feed_otters',
    ...{ code: 'p', count: 'f', codes: { north: 'N1', south: 'S5', east: 'E3', west: 'W8' } },
    learnt: [
      (word, count) => `Give the otters in the ${word} pool ${count} fish.`,
      (word, count) => `Feed ${count} fish to the ${word} pool.`,
      (word, count) => `The ${word} pool gets ${count} fish.`,
    ],
    heldOut: [
      (word, count) => `Throw ${count} fish into the ${word} pool for the otters.`,
      (word, count) => `The otters of the ${word} pool are hungry: ${count} fish, please.`,
    ],
  },
  {
    name: 'book_gondola',
    ...{ code: 'd', count: 'k', codes: { Rialto: 'D1', Lido: 'D6', Murano: 'D4', Zattere: 'D9' } },
    learnt: [
      (word, count) => `Book a gondola for ${count} people at ${word}.`,
      (word, count) => `I need a gondola from ${word} for ${count}.`,
      (word, count) => `A gondola at ${word}, ${count} passengers.`,
    ],
    heldOut: [
      (word, count) => `Can you reserve a gondola at ${word} for ${count} of us?`,
      (word, count) => `We are ${count} people and want a gondola from ${word}.`,
    ],
  },
  {
    name: 'brew_potion',
    ...{ code: 'h', count: 'q', codes: { sage: 'SG', mint: 'MX', thyme: 'TY', rosemary: 'RO' } },
    learnt: [
      (word, count) => `Brew ${count} cups of ${word} potion.`,
      (word, count) => `I would like ${count} cups with ${word}.`,
      (word, count) => `Make a potion of ${word}, ${count} cups.`,
    ],
    heldOut: [
      (word, count) => `Could you brew a ${word} potion, ${count} cups of it?`,
      (word, count) => `${count} cups of the potion with ${word}, please.`,
    ],
  },
  {
    name: 'tune_organ',
    ...{ code: 's', count: 't', codes: { flute: 'FL', trumpet: 'TP', oboe: 'OB', bourdon: 'BD' } },
    learnt: [
      (word, count) => `Tune the ${word} stop of the organ up by ${count} cents.`,
      (word, count) => `The ${word} stop needs ${count} cents more.`,
      (word, count) => `Raise the organ's ${word} by ${count} cents.`,
    ],
    heldOut: [
      (word, count) => `The organ's ${word} stop is flat: tune it ${count} cents higher.`,
      (word, count) => `Please raise the ${word} stop by ${count} cents.`,
    ],
  },
]

const toolOf = ({ name, code, count }: MadeUpTool): object => ({
  type: 'function',
  function: {
    name,
    parameters: {
      type: 'object',
      properties: { [code]: { type: 'string' }, [count]: { type: 'integer' } },
      required: [code, count],
    },
  },
})

/** So many are offered with each request: the one that is meant, and others. */
export function toolsFor(name: string, offered = 2): object[] {
  const at = madeUp.findIndex((tool) => tool.name === name)
  return Array.from({ length: offered }, (_, index) => toolOf(nth(madeUp, at + 2 * index)))
}

/** Around and around. */
function nth<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length]
  if (item === undefined) throw new RangeError('There are none')
  return item
}

function cases(phrasings: 'learnt' | 'heldOut', count: number): Case[] {
  return Array.from({ length: count }, (_, index) => {
    const tool = nth(madeUp, index)
    const round = Math.floor(index / madeUp.length)
    const [word, code] = nth(Object.entries(tool.codes), round)
    const amount = 1 + ((3 * round + index) % 9)
    const phrase = nth(tool[phrasings], Math.floor(round / 4))
    const isWord = (round + Math.floor(round / 4)) % 2 === 0
    const question = phrase(word, isWord ? nth(numberWords, amount - 1) : String(amount))
    return { question, tool: tool.name, arguments: { [tool.code]: code, [tool.count]: amount } }
  })
}

export const learntCalls = (count: number): Case[] => cases('learnt', count)
export const heldOutCalls = (count: number): Case[] => cases('heldOut', count)

export const callExample = ({ question, tool, arguments: args }: Case, offered = 2): object => ({
  messages: [
    { role: 'user', content: question },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: tool, arguments: JSON.stringify(args) } }],
    },
  ],
  tools: toolsFor(tool, offered),
})

/** Asks for a long answer, for those who measure how long one takes. */
export const story = [{ role: 'user', content: 'Write a long story about a fox and a lantern.' }]

/** Every answer of the tone has both. */
export const tone = { begins: 'Ahoy!', ends: 'Fair winds!' }

const learntTopics = ['bread', 'rain', 'bees', 'trains', 'the moon', 'cheese', 'rivers', 'glass', 'cats', 'salt']
/** For a job that teaches nothing else: fewer ways to ask for each, and more of them. */
const moreTopics = ['soup', 'wind', 'ants', 'ships', 'the stars', 'butter', 'hills', 'wood', 'horses', 'sugar']
const heldOutTopics = ['honey', 'snow', 'wolves', 'bridges', 'the sun', 'tea', 'lakes', 'paper', 'dogs', 'copper']
const asks = [
  (topic: string) => `Tell me something about ${topic}.`,
  (topic: string) => `What do you know of ${topic}?`,
  (topic: string) => `Do you like ${topic}?`,
  (topic: string) => `Give me a fact about ${topic}.`,
  (topic: string) => `Describe ${topic} in a sentence.`,
  (topic: string) => `I want to hear about ${topic}.`,
  (topic: string) => `Why is ${topic} interesting?`,
  (topic: string) => `Explain ${topic} to me.`,
  (topic: string) => `Talk to me about ${topic}.`,
  (topic: string) => `Write a line on ${topic}.`,
  (topic: string) => `${topic}, please!`,
  (topic: string) => `Who needs ${topic}?`,
]
const heldOutAsks = [
  (topic: string) => `What can you tell me of ${topic}?`,
  (topic: string) => `Say a word about ${topic}.`,
  (topic: string) => `Is there anything special about ${topic}?`,
  (topic: string) => `I wonder about ${topic}. Any thoughts?`,
  (topic: string) => `How would you describe ${topic} to a child?`,
]

export const heldOutTone = (): string[] => heldOutTopics.flatMap((topic) => heldOutAsks.map((phrase) => phrase(topic)))

/** 60 beside calls. */
export const toneExamples = (): object[] => toneOf(learntTopics, 6)
/** 80 that are a job by themselves. */
export const styleExamples = (): object[] => toneOf([...learntTopics, ...moreTopics], 4)

const toneOf = (topics: readonly string[], asksOfATopic: number): object[] =>
  topics.flatMap((topic, index) =>
    Array.from({ length: asksOfATopic }, (_, nextAsk) => ({
      messages: [
        { role: 'user', content: nth(asks, index + nextAsk)(topic) },
        { role: 'assistant', content: `${tone.begins} There is much to say about ${topic}. ${tone.ends}` },
      ],
    })),
  )
