import { describe, expect, it } from 'vitest'
import type { Described } from './description.ts'
import { readPrompt } from './read-prompt.ts'

/** "2 red balloon above 1": how many, colours, name, and where. */
function told({ thing, count, colours, relation, lettering, spot }: Described): string {
  const place = relation && `${relation.kind} ${relation.to}${relation.and === undefined ? '' : ` ${relation.and}`}`
  const parts = [count, ...colours.map(({ name }) => name), thing.name, place, spot, lettering && `"${lettering}"`]
  return parts.filter((part) => part !== undefined).join(' ')
}

const read = (prompt: string): string[] => readPrompt(prompt).things.map(told)

describe('a prompt', () => {
  it.each([
    ['three red and two blue balloons over a house', ['3 red balloon above 2', '2 blue balloon above 2', '1 house']],
    ['a cat and a dog on a blue sofa', ['1 cat on 2', '1 dog on 2', '1 blue sofa']],
    ['an orange cat beside an orange', ['1 orange cat beside 1', '1 orange']],
    ['the car is red and parked beside a tractor', ['1 red car beside 1', '1 tractor']],
    ['There is a house. Next to the house is a tall tree.', ['1 house', '1 tree beside 0']],
    ['a book between a lamp and a clock', ['1 book between 1 2', '1 lamp', '1 clock']],
    ['a man with a hat and sunglasses', ['1 man', '1 hat worn 0', '1 sunglasses worn 0']],
    ['a woman in a red dress holding an umbrella', ['1 red woman', '1 umbrella held 0']],
    ['a bowl of apples on a table with a candle', ['1 bowl on 2', '3 apple in 0', '1 table', '1 candle on 2']],
    ['an owl on a branch of a tree', ['1 owl in 1', '1 tree']],
    ['a dog without a cat, an apple tree', ['1 dog', '1 tree']],
    ['a sign that says "OPEN" in front of a cottage', ['1 sign front 1 "OPEN"', '1 cottage']],
    ['two penguins, a lighthouse in the background', ['2 penguin', '1 lighthouse background']],
    ['an oil painting of three mice, highly detailed', ['3 mouse']],
  ])('%s', (prompt, things) => {
    expect(read(prompt)).toEqual(things)
  })

  it('says where, when and in what weather', () => {
    expect(readPrompt('a fox in the snow at night').setting).toEqual({ place: 'snow', weather: 'snow', time: 'night' })
    expect(readPrompt('a boat on the sea at sunset in the rain').setting).toEqual({
      place: 'sea',
      time: 'sunset',
      weather: 'rain',
    })
  })

  it('has a title in quotes, and words that nothing is known of', () => {
    expect(readPrompt('a cat with the title "My <Cat> & I"')).toMatchObject({ title: 'My <Cat> & I' })
    expect(readPrompt('a gazebo beside a house').unknown).toEqual(['gazebo'])
  })

  it('may be anything: nothing breaks it, and no thing holds itself', () => {
    const odd = [
      '',
      ' ',
      '"',
      '"""',
      'constructor __proto__ toString',
      'a cat on a cat on the cat',
      '\ue0005 \ue000',
      '🐈'.repeat(400),
    ]
    const long = [
      'on a '.repeat(800),
      'a cat on '.repeat(400),
      '"'.repeat(4000),
      'two red and '.repeat(300),
      "'a' ".repeat(900),
    ]
    for (const prompt of [...odd, ...long]) {
      const { things } = readPrompt(prompt)
      expect(things.length).toBeLessThanOrEqual(24)
      for (const [index] of things.entries()) {
        let at: number | undefined = index
        for (let steps = 0; at !== undefined && steps <= things.length; steps++) at = things[at]?.relation?.to
        expect(at, prompt.slice(0, 40)).toBeUndefined()
      }
    }
  })
})
