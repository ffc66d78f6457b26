// Where, when and in what weather a scene is.
export type Place =
  | 'meadow'
  | 'beach'
  | 'sea'
  | 'lake'
  | 'underwater'
  | 'desert'
  | 'forest'
  | 'jungle'
  | 'mountains'
  | 'snow'
  | 'city'
  | 'street'
  | 'farm'
  | 'garden'
  | 'space'
  | 'moon'
  | 'room'
  | 'kitchen'
  | 'bedroom'
  | 'classroom'
  | 'library'
  | 'stage'
  | 'tabletop'
  | 'plain'
export type Time = 'day' | 'sunrise' | 'sunset' | 'night'
export type Weather = 'clear' | 'cloudy' | 'rain' | 'snow' | 'storm' | 'fog'

type Names<T extends string> = Partial<Record<T, string>>

const places: Names<Place> = {
  meadow:
    'meadow,field,grass,grassland,lawn,hill,hills,hillside,prairie,countryside,pasture,valley,savanna,savannah,plain,grassy field,green field',
  beach: 'beach,shore,seaside,coast,sand,sandy beach',
  sea: 'sea,ocean,waves,high seas,open sea,water,bay,harbor,harbour',
  lake: 'lake,pond,river,stream,riverbank,lakeside,creek,swimming pool,pool',
  underwater:
    'underwater,under water,under the sea,under the ocean,bottom of the sea,ocean floor,sea floor,seabed,coral reef,reef,aquarium,deep sea',
  desert: 'desert,dunes,sand dunes,sahara,wasteland,canyon',
  forest: 'forest,woods,woodland,wood,enchanted forest,pine forest',
  jungle: 'jungle,rainforest,tropics',
  mountains: 'mountains,alps,mountain range,mountain landscape,himalayas,mountainside',
  snow: 'snow,snowy field,snowy landscape,winter landscape,winter,arctic,antarctica,north pole,south pole,ice,tundra,snowy hill,snowy mountain,glacier',
  city: 'city,town,downtown,skyline,city skyline,village,metropolis,new york,paris,london,tokyo,square,marketplace,market,rooftop',
  street: 'street,road,highway,avenue,alley,sidewalk,pavement,crosswalk,parking lot,path,bridge road',
  farm: 'farm,farmland,farmyard,barnyard,ranch,cornfield,wheat field',
  garden: 'garden,park,backyard,yard,orchard,playground,zoo,flower garden,flower field',
  space: 'space,outer space,galaxy,cosmos,universe,orbit,nebula,milky way',
  moon: 'the moon,surface of the moon,lunar surface,mars,surface of mars,alien planet,another planet',
  room: 'room,living room,house interior,indoors,inside a house,home office,office,floor,hallway,cafe,restaurant,bar,studio,gym,attic,museum hall,hotel room,apartment,workshop,garage,wall',
  kitchen: 'kitchen,kitchen counter,counter,bakery,dining room',
  bedroom: 'bedroom,nursery',
  classroom: 'classroom,school room,lecture hall,laboratory,lab,blackboard',
  library: 'library,bookshop,bookstore',
  stage: 'stage,theater,theatre,concert hall,concert',
  tabletop: 'tabletop,table top,windowsill,picnic blanket,wooden surface',
  plain: 'white background,plain background,simple background,blank background,solid background,empty background',
}
const times: Names<Time> = {
  day: 'day,daytime,noon,midday,afternoon,sunny day,daylight,bright day,summer day',
  sunrise: 'sunrise,dawn,morning,early morning,daybreak',
  sunset: 'sunset,dusk,evening,twilight,golden hour,nightfall,sundown',
  night:
    'night,midnight,nighttime,starry night,moonlight,night sky,starry sky,moonlit night,moonlit,starry,the stars,under the stars,stars in the sky,dark night',
}
const weathers: Names<Weather> = {
  clear: 'sunny,clear sky,sunshine,blue sky,clear day,cloudless',
  cloudy: 'cloudy,overcast,cloudy sky,clouds,gray sky,grey sky',
  rain: 'rain,rainy,raining,drizzle,rainy day,downpour,wet,in the rain,rainfall',
  snow: 'snowing,snowy,snowfall,falling snow,snowy day,blizzard,snowstorm,in the snow',
  storm: 'storm,thunderstorm,stormy,lightning,thunder,lightning storm,stormy sky,tornado,hurricane',
  fog: 'fog,foggy,mist,misty,haze,hazy',
}

/** Settings that say two things. */
const both: Record<string, Partial<Setting>> = {
  snowy: { place: 'snow', weather: 'snow' },
  winter: { place: 'snow' },
  'in the snow': { place: 'snow', weather: 'snow' },
  snowfall: { place: 'snow', weather: 'snow' },
  snowing: { place: 'snow', weather: 'snow' },
  blizzard: { place: 'snow', weather: 'snow' },
  'snowy forest': { place: 'snow', weather: 'snow' },
}

export interface Setting {
  place: Place
  time: Time
  weather: Weather
}

const known = new Map<string, Partial<Setting>>()
const learn = <T extends string>(names: Names<T>, part: keyof Setting): void => {
  for (const [value, list] of Object.entries(names) as [T, string][]) {
    for (const name of list.split(',')) known.set(name, { [part]: value })
  }
}
learn(places, 'place')
learn(times, 'time')
learn(weathers, 'weather')
for (const [name, setting] of Object.entries(both)) known.set(name, setting)

const longest = 4

export function settingAt(
  words: readonly string[],
  at: number,
): { setting: Partial<Setting>; length: number; name: string } | undefined {
  for (let length = longest; length >= 1; length--) {
    const name = words.slice(at, at + length).join(' ')
    const setting = known.get(name)
    if (setting !== undefined) return { setting, length: Math.min(length, words.length - at), name }
  }
  return undefined
}
