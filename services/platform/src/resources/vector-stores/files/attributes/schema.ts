import { z } from 'zod'
import { withRefusals } from '../../../../conventions/refused/schema.ts'
import { boundedRecord } from '../../../chat/completions/metadata/schema.ts'

const maxAttributes = 16
const maxNameLetters = 64
const maxValueLetters = 512
const maxListed = 100
const maxFilters = 50
/** Filters within one another, the comparison in the midst of them among them. */
const maxDepth = 4

export const Attributes = boundedRecord(
  z.string().max(maxNameLetters),
  z.union([z.string().max(maxValueLetters), z.number(), z.boolean()]),
  maxAttributes,
)
export type Attributes = z.output<typeof Attributes>

const Scalar = z.union([z.string(), z.number(), z.boolean()])
const key = z.string().min(1).max(maxNameLetters)

const ComparisonFilter = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['eq', 'ne']), key, value: Scalar }),
  z.strictObject({ type: z.enum(['gt', 'gte', 'lt', 'lte']), key, value: z.union([z.number(), z.string()]) }),
  z.strictObject({ type: z.enum(['in', 'nin']), key, value: z.array(Scalar).min(1).max(maxListed) }),
])
type ComparisonFilter = z.output<typeof ComparisonFilter>

interface CompoundFilter {
  type: 'and' | 'or'
  filters: SearchFilter[]
}

export type SearchFilter = ComparisonFilter | CompoundFilter

const tooDeep = `filters stand within one another ${maxDepth} deep at most, the comparison counted: write this one with fewer levels of 'and' and 'or'.`
const Innermost = withRefusals({ and: tooDeep, or: tooDeep }, ComparisonFilter)

const filterOfDepth = (depth: number): z.ZodType<SearchFilter> =>
  depth === 1
    ? Innermost
    : z.discriminatedUnion('type', [
        ComparisonFilter,
        z.strictObject({
          type: z.enum(['and', 'or']),
          filters: z
            .array(filterOfDepth(depth - 1))
            .min(1)
            .max(maxFilters),
        }),
      ])

export const SearchFilter = filterOfDepth(maxDepth)
