// How good rankings are: nDCG@10 and the shares of questions with something right at the first place or the first five.
const depth = 10

export interface Figures {
  ndcg: number
  hit1: number
  hit5: number
}

/** One question's ranking: whether each place is right, and how many right ones there are to be found. */
export interface Ranking {
  isRight: boolean[]
  right: number
}

export function figuresOf(rankings: readonly Ranking[]): Figures {
  const mean = (value: (ranking: Ranking) => number): number =>
    rankings.reduce((sum, ranking) => sum + value(ranking), 0) / rankings.length
  return {
    ndcg: mean(ndcg),
    hit1: mean(({ isRight }) => Number(isRight[0] ?? false)),
    hit5: mean(({ isRight }) => Number(isRight.slice(0, 5).includes(true))),
  }
}

const discount = (place: number): number => 1 / Math.log2(place + 2)

function ndcg({ isRight, right }: Ranking): number {
  const gain = isRight.slice(0, depth).reduce((sum, is, place) => sum + (is ? discount(place) : 0), 0)
  const best = Array.from({ length: Math.min(depth, right) }, (_, place) => discount(place))
  return gain / best.reduce((sum, value) => sum + value, 0)
}

/** The places of the highest scores; of equals the first. */
export function bestPlaces(scores: ArrayLike<number>, count: number): number[] {
  const places = Array.from(scores, (_, place) => place)
  return places.sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0) || one - other).slice(0, count)
}
