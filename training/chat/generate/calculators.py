"""Functions that compute or look something up from a few figures: quantities with units, lists of numbers, choices, defaults."""

import json

from generate.base import Maker, assistant, calling, tool_result, user
from generate.spare_params import add_spares
from generate.words import STYLES, joined, split_name, style

# What is computed, of what, from which quantities; a field to put before the name.
TARGETS = """
kinetic energy|a moving body|mass,velocity|physics
momentum|a trolley|mass,velocity|physics
potential energy|a lifted load|mass,height,gravity?|physics
stopping distance|a car|speed,friction?,reaction_time?|traffic
average speed|a journey|distance,duration|motion
travel time|a trip|distance,speed|motion
acceleration|a sprinter|initial_speed,final_speed,duration|motion
free fall time|a dropped stone|height,gravity?|physics
electric power|a heater|voltage,current|electronics
resistance|a wire|voltage,current|electronics
energy use|an appliance|power,duration,price_per_kwh?|energy
solar yield|a roof|area,efficiency,sun_hours|energy
battery life|a torch|capacity,current|electronics
pressure|a piston|force,area|physics
density|a sample|mass,volume|chemistry
dilution|a solution|concentration,volume,final_volume|chemistry
molarity|a solution|mass,molar_mass,volume|chemistry
heat|a kettle of water|mass,temperature_change,specific_heat?|physics
wavelength|a radio wave|frequency,wave_speed?|physics
lens power|a pair of glasses|focal_length|optics
torque|a spanner|force,length|mechanics
gear ratio|a bicycle|front_teeth,rear_teeth|mechanics
beam load|a shelf|length,width,height,material_name?|building
volume|a tank|length,width,depth|geometry
volume|a cylinder|radius,height|geometry
surface|a cone|radius,slant|geometry
perimeter|a field|length,width|geometry
diagonal|a screen|width,height|geometry
slope|a ramp|height,length|geometry
hypotenuse|a right triangle|side_a,side_b|geometry
compound interest|a savings account|principal,rate,years,compounding?|finance
simple interest|a loan|principal,rate,years|finance
monthly payment|a mortgage|principal,rate,years,down_payment?|finance
future value|a deposit|principal,rate,years|finance
profit margin|a shop|revenue,cost|business
break even point|a bakery|fixed_cost,unit_price,unit_cost|business
tip|a bill|bill_amount,rate,people?|dining
sales tax|a purchase|price,rate|shopping
discounted price|a jacket|price,rate|shopping
unit price|a pack|price,count|shopping
currency exchange|an amount|amount,from_currency,to_currency|money
payroll|an employee|hours,hourly_wage,overtime_hours?|business
return on investment|a project|gain,cost|finance
depreciation|a machine|price,years,residual_value?|finance
body mass index|a patient|weight,body_height|health
calorie need|a person|weight,body_height,age,activity?|health
drug dose|a child|weight,dose_per_kg|medicine
heart rate zone|a runner|age,resting_rate?|fitness
running pace|a race|distance,duration|fitness
water intake|an adult|weight,activity?|health
paint needed|a wall|width,height,coats?|building
tiles needed|a floor|length,width,tile_size|building
concrete needed|a slab|length,width,depth|building
fuel cost|a drive|distance,consumption,fuel_price|travel
carbon footprint|a flight|distance,passengers,cabin?|climate
rainfall total|a catchment|area,depth|weather
wind chill|a cold day|temperature,wind_speed|weather
heat index|a summer day|temperature,humidity|weather
dew point|a room|temperature,humidity|weather
mean|a series|numbers|statistics
median|a sample|numbers|statistics
standard deviation|a set of readings|numbers,population?|statistics
moving average|a price series|numbers,window|statistics
correlation|two series|numbers,other_numbers|statistics
weighted average|marks|numbers,weights|statistics
linear regression|measured points|numbers,other_numbers,target?|statistics
percentile|test scores|numbers,percent|statistics
greatest common divisor|two numbers|whole_a,whole_b|maths
least common multiple|two numbers|whole_a,whole_b|maths
prime factors|a number|whole_a|maths
factorial|a number|small_whole|maths
binomial coefficient|a draw|whole_a,small_whole|maths
probability|an urn draw|favourable,total|maths
logarithm|a value|value,base?|maths
roots|a quadratic|coefficient_a,coefficient_b,coefficient_c|maths
matrix product|two rows|numbers,other_numbers|maths
seating plan|a hall|rows,seats_per_row|events
catering order|a party|people,portions_each,dish_name?|events
recipe scaling|a stew|people,original_people|cooking
baking time|a loaf|weight,temperature,fan?|cooking
feed amount|a herd|animals,kilos_each|farming
seed amount|a meadow|area,rate|farming
egg count|a coop|animals,years|farming
knitting stitches|a scarf|width,gauge|craft
fabric|a curtain|width,height,fullness?|craft
screen density|a monitor|width_px,height_px,inches|computing
download time|a file|megabytes,megabits|computing
storage need|a camera|megabytes,count|computing
subnet size|a network|prefix|computing
password strength|a phrase|length_chars,symbols?|computing
time zone shift|a call|hour,from_city,to_city|time
days between|two dates|start_date,end_date|time
age on a day|a person|birth_date,on_date?|time
working days|a period|start_date,end_date,country?|time
great circle distance|two towns|from_city,to_city,unit?|geography
population density|a region|population,area|geography
sunrise|a place|city,on_date|astronomy
orbital period|a satellite|altitude,planet?|astronomy
star distance|a parallax|parallax|astronomy
batting average|a player|hits,at_bats|sport
win rate|a team|wins,losses,draws?|sport
elo change|a chess player|rating,opponent_rating,result|sport
reading time|a book|pages,pages_per_hour|reading
half life remainder|a sample|amount,half_life,years|physics
growth|a bacteria culture|amount,rate,hours|biology
allele frequency|a population|dominant,recessive|biology
blood alcohol|a guest|drinks,weight,hours|health
freight cost|a parcel|weight,distance,express?|logistics
pallets|a lorry|boxes,boxes_per_pallet|logistics
""".strip().splitlines()
# name: type, description, unit words for the request ("" for none), lowest, highest, digits, words for the name
QUANTITIES = {
    "mass": ("number", "Mass in kilograms", "kg|kilograms|kilos", 1, 900, 1, "mass"),
    "weight": ("number", "Weight in kilograms", "kg|kilograms|kilos", 3, 160, 1, "weight"),
    "velocity": ("number", "Velocity in metres per second", "m/s|metres per second|meters per second", 1, 90, 1, "velocity|speed"),
    "speed": ("number", "Speed in kilometres per hour", "km/h|kilometres per hour|kph", 3, 240, 0, "speed"),
    "initial_speed": ("number", "Speed at the start in metres per second", "m/s", 0, 20, 0, "initial speed|starting speed"),
    "final_speed": ("number", "Speed at the end in metres per second", "m/s", 21, 80, 0, "final speed|end speed"),
    "wave_speed": ("number", "Speed of the wave in metres per second", "m/s", 200, 900, 0, "wave speed"),
    "wind_speed": ("number", "Wind in kilometres per hour", "km/h", 5, 120, 0, "wind|wind speed"),
    "height": ("number", "Height in metres", "m|metres|meters", 1, 300, 1, "height"),
    "body_height": ("integer", "Height in centimetres", "cm|centimetres", 90, 205, 0, "height"),
    "gravity": ("number", "Gravitational acceleration in m/s^2", "m/s^2", 1, 25, 1, "gravity"),
    "friction": ("number", "Coefficient of friction", "", 0.1, 0.9, 2, "friction|friction coefficient"),
    "reaction_time": ("number", "Reaction time in seconds", "seconds|s", 0.5, 2, 1, "reaction time"),
    "distance": ("number", "Distance in kilometres", "km|kilometres|kilometers", 2, 9000, 0, "distance"),
    "duration": ("number", "Duration in hours", "hours|h", 1, 40, 1, "duration|time"),
    "voltage": ("number", "Voltage in volts", "V|volts", 3, 400, 0, "voltage"),
    "current": ("number", "Current in amperes", "A|amps|amperes", 0.5, 30, 1, "current"),
    "power": ("number", "Power in watts", "W|watts", 10, 3000, 0, "power"),
    "price_per_kwh": ("number", "Price of a kilowatt hour", "per kWh", 0.1, 0.6, 2, "price per kWh"),
    "area": ("number", "Area in square metres", "m²|square metres|square meters", 2, 2000, 0, "area"),
    "efficiency": ("number", "Efficiency in percent", "%|percent", 5, 45, 0, "efficiency"),
    "sun_hours": ("number", "Hours of sun a day", "hours|hours a day", 2, 14, 1, "sunshine|sun hours"),
    "capacity": ("number", "Capacity in ampere hours", "Ah", 1, 100, 1, "capacity"),
    "force": ("number", "Force in newtons", "N|newtons", 1, 900, 0, "force"),
    "volume": ("number", "Volume in litres", "l|litres|liters", 1, 900, 1, "volume"),
    "final_volume": ("number", "Final volume in litres", "l|litres|liters", 10, 950, 0, "final volume"),
    "concentration": ("number", "Concentration in percent", "%|percent", 1, 60, 1, "concentration"),
    "molar_mass": ("number", "Molar mass in grams per mole", "g/mol", 18, 300, 1, "molar mass"),
    "temperature": ("number", "Temperature in degrees Celsius", "°C|degrees Celsius|degrees", -20, 240, 0, "temperature"),
    "temperature_change": ("number", "Change of temperature in kelvin", "K|degrees", 5, 90, 0, "temperature change|rise"),
    "specific_heat": ("number", "Specific heat capacity", "J/kgK", 300, 4300, 0, "specific heat"),
    "humidity": ("integer", "Relative humidity in percent", "%|percent", 10, 99, 0, "humidity"),
    "frequency": ("number", "Frequency in hertz", "Hz|hertz", 20, 9000, 0, "frequency"),
    "focal_length": ("number", "Focal length in millimetres", "mm", 10, 600, 0, "focal length"),
    "length": ("number", "Length in metres", "m|metres|meters", 1, 120, 1, "length"),
    "width": ("number", "Width in metres", "m|metres|meters", 1, 80, 1, "width"),
    "depth": ("number", "Depth in metres", "m|metres|meters", 1, 20, 1, "depth"),
    "radius": ("number", "Radius in centimetres", "cm|centimetres", 1, 90, 1, "radius"),
    "slant": ("number", "Slant height in centimetres", "cm|centimetres", 2, 120, 1, "slant height"),
    "side_a": ("number", "First short side", "", 1, 60, 0, "first side|side a"),
    "side_b": ("number", "Second short side", "", 1, 60, 0, "second side|side b"),
    "front_teeth": ("integer", "Teeth of the front chainring", "teeth", 22, 53, 0, "front chainring"),
    "rear_teeth": ("integer", "Teeth of the rear sprocket", "teeth", 11, 42, 0, "rear sprocket"),
    "tile_size": ("number", "Edge of a tile in centimetres", "cm|centimetres", 5, 60, 0, "tile size"),
    "principal": ("number", "Amount at the start", "$", 500, 400000, 0, "principal|amount|starting amount"),
    "rate": ("number", "Rate in percent", "%|percent", 1, 30, 1, "rate"),
    "years": ("integer", "Number of years", "years", 1, 40, 0, "years|number of years|term"),
    "compounding": ("choice", "How often interest is added", "yearly,quarterly,monthly,daily", 0, 0, 0, "compounding"),
    "down_payment": ("number", "What is paid at once", "$", 1000, 60000, 0, "down payment"),
    "revenue": ("number", "Revenue", "$", 500, 90000, 0, "revenue"),
    "cost": ("number", "Costs", "$", 100, 50000, 0, "cost|costs"),
    "gain": ("number", "Gain", "$", 100, 90000, 0, "gain"),
    "fixed_cost": ("number", "Fixed costs", "$", 500, 20000, 0, "fixed costs|fixed cost"),
    "unit_price": ("number", "Price of one piece", "$", 2, 90, 2, "unit price|price per piece"),
    "unit_cost": ("number", "Cost of one piece", "$", 1, 50, 2, "unit cost|cost per piece"),
    "bill_amount": ("number", "Total of the bill", "$", 12, 400, 2, "bill|total"),
    "price": ("number", "Price", "$", 5, 4000, 2, "price"),
    "residual_value": ("number", "Value at the end", "$", 100, 5000, 0, "residual value"),
    "people": ("integer", "Number of people", "people|persons|guests", 2, 90, 0, "people|number of people"),
    "original_people": ("integer", "People the recipe is written for", "people|persons", 2, 8, 0, "original number of people|recipe size"),
    "portions_each": ("integer", "Portions for each person", "portions", 1, 4, 0, "portions each"),
    "count": ("integer", "Number of pieces", "pieces", 2, 900, 0, "count|number of pieces"),
    "amount": ("number", "Amount", "", 5, 9000, 0, "amount"),
    "from_currency": ("code", "Currency to change from", "USD,EUR,GBP,CHF,JPY,SEK,NOK,PLN,CAD,AUD,INR,BRL", 0, 0, 0, "from"),
    "to_currency": ("code", "Currency to change into", "USD,EUR,GBP,CHF,JPY,SEK,NOK,PLN,CAD,AUD,INR,BRL", 0, 0, 0, "to|into"),
    "hours": ("number", "Hours", "hours|h", 1, 60, 1, "hours"),
    "hourly_wage": ("number", "Wage for an hour", "$", 9, 80, 2, "hourly wage|wage"),
    "overtime_hours": ("number", "Hours of overtime", "hours", 1, 20, 0, "overtime"),
    "age": ("integer", "Age in years", "years|years old", 2, 95, 0, "age"),
    "activity": ("choice", "How active the person is", "low,moderate,high", 0, 0, 0, "activity|activity level"),
    "dose_per_kg": ("number", "Milligrams for each kilogram", "mg/kg", 1, 50, 1, "dose per kg|dose"),
    "resting_rate": ("integer", "Heart rate at rest", "bpm", 45, 85, 0, "resting heart rate|resting rate"),
    "coats": ("integer", "Coats of paint", "coats", 1, 3, 0, "coats"),
    "consumption": ("number", "Litres for 100 kilometres", "l/100km|litres per 100 km", 3, 15, 1, "consumption"),
    "fuel_price": ("number", "Price of a litre", "per litre|a litre", 1, 3, 2, "fuel price|price"),
    "passengers": ("integer", "Number of passengers", "passengers|people", 1, 9, 0, "passengers"),
    "cabin": ("choice", "Class of travel", "economy,premium,business,first", 0, 0, 0, "cabin|class"),
    "numbers": ("numbers", "The values", "", 1, 100, 0, "values|numbers|data"),
    "other_numbers": ("numbers", "The values of the second series", "", 1, 100, 0, "second series|other values"),
    "weights": ("numbers", "The weight of each value", "", 1, 9, 0, "weights"),
    "window": ("integer", "Width of the window", "", 2, 9, 0, "window|window size"),
    "population": ("integer", "Number of inhabitants", "people|inhabitants", 900, 9000000, 0, "population"),
    "percent": ("integer", "Which percentile", "%|percent", 5, 99, 0, "percentile"),
    "target": ("number", "Value to predict for", "", 1, 200, 0, "target"),
    "whole_a": ("integer", "First whole number", "", 6, 990, 0, "first number|number"),
    "whole_b": ("integer", "Second whole number", "", 6, 990, 0, "second number|other number"),
    "small_whole": ("integer", "Small whole number", "", 2, 15, 0, "number|k"),
    "favourable": ("integer", "Favourable outcomes", "favourable outcomes|hits", 1, 20, 0, "favourable outcomes"),
    "total": ("integer", "All outcomes", "outcomes|cases", 21, 90, 0, "total"),
    "value": ("number", "The value", "", 2, 5000, 0, "value"),
    "base": ("number", "The base", "", 2, 10, 0, "base"),
    "coefficient_a": ("integer", "Coefficient of x squared", "", -9, 9, 0, "a"),
    "coefficient_b": ("integer", "Coefficient of x", "", -30, 30, 0, "b"),
    "coefficient_c": ("integer", "The constant", "", -90, 90, 0, "c"),
    "rows": ("integer", "Number of rows", "rows", 4, 60, 0, "rows"),
    "seats_per_row": ("integer", "Seats in a row", "seats per row|seats in each row", 6, 50, 0, "seats per row"),
    "dish_name": ("slot:dish", "Dish to serve", "", 0, 0, 0, "dish"),
    "material_name": ("slot:material", "Material", "", 0, 0, 0, "material"),
    "fan": ("flag", "Whether the fan is on", "with the fan on,without the fan", 0, 0, 0, "fan"),
    "express": ("flag", "Whether it goes by express", "by express,no express needed", 0, 0, 0, "express"),
    "symbols": ("flag", "Whether there are symbols in it", "with symbols,without symbols", 0, 0, 0, "symbols"),
    "animals": ("integer", "Number of animals", "animals|head", 3, 400, 0, "animals|number of animals"),
    "kilos_each": ("number", "Kilograms for each animal", "kg each|kilos each", 0.5, 25, 1, "kilos each"),
    "gauge": ("number", "Stitches for ten centimetres", "stitches per 10 cm", 10, 36, 0, "gauge"),
    "fullness": ("number", "Fullness of the cloth", "", 1.5, 3, 1, "fullness"),
    "width_px": ("integer", "Width in pixels", "pixels|px", 640, 7680, 0, "width"),
    "height_px": ("integer", "Height in pixels", "pixels|px", 480, 4320, 0, "height"),
    "inches": ("number", "Diagonal in inches", "inches", 5, 65, 1, "diagonal"),
    "megabytes": ("number", "Size in megabytes", "MB|megabytes", 2, 9000, 0, "size|file size"),
    "megabits": ("number", "Speed in megabits a second", "Mbit/s|Mbps", 2, 1000, 0, "connection|speed"),
    "prefix": ("integer", "Length of the prefix", "", 8, 30, 0, "prefix|prefix length"),
    "length_chars": ("integer", "Number of characters", "characters", 6, 40, 0, "length"),
    "hour": ("integer", "Hour of the day, 0 to 23", "o'clock", 0, 23, 0, "hour"),
    "city": ("slot:city", "Name of the town", "", 0, 0, 0, "town|city"),
    "from_city": ("slot:city", "Town to start from", "", 0, 0, 0, "from"),
    "to_city": ("slot:city", "Town to arrive in", "", 0, 0, 0, "to"),
    "country": ("slot:country", "Country whose holidays count", "", 0, 0, 0, "country"),
    "planet": ("slot:planet", "Planet it goes around", "", 0, 0, 0, "planet"),
    "start_date": ("slot:isodate", "First day, YYYY-MM-DD", "", 0, 0, 0, "start date|from"),
    "end_date": ("slot:isodate", "Last day, YYYY-MM-DD", "", 0, 0, 0, "end date|to"),
    "birth_date": ("slot:isodate", "Day of birth, YYYY-MM-DD", "", 0, 0, 0, "birth date|born on"),
    "on_date": ("slot:isodate", "The day, YYYY-MM-DD", "", 0, 0, 0, "date|on"),
    "unit": ("choice", "Unit of the result", "km,miles", 0, 0, 0, "unit"),
    "altitude": ("number", "Height above ground in kilometres", "km", 200, 36000, 0, "altitude"),
    "parallax": ("number", "Parallax in milliarcseconds", "mas", 1, 800, 1, "parallax"),
    "hits": ("integer", "Number of hits", "hits", 3, 200, 0, "hits"),
    "at_bats": ("integer", "Times at bat", "at bats", 210, 600, 0, "at bats"),
    "wins": ("integer", "Games won", "wins", 0, 60, 0, "wins"),
    "losses": ("integer", "Games lost", "losses", 0, 60, 0, "losses"),
    "draws": ("integer", "Games drawn", "draws", 0, 20, 0, "draws"),
    "rating": ("integer", "Rating of the player", "", 900, 2700, 0, "rating"),
    "opponent_rating": ("integer", "Rating of the opponent", "", 900, 2700, 0, "opponent's rating|opponent rating"),
    "result": ("choice", "How the game ended", "win,loss,draw", 0, 0, 0, "result"),
    "pages": ("integer", "Number of pages", "pages", 40, 1200, 0, "pages"),
    "pages_per_hour": ("integer", "Pages read in an hour", "pages an hour|pages per hour", 10, 90, 0, "reading speed|pace"),
    "half_life": ("number", "Half-life in years", "years", 1, 6000, 0, "half-life"),
    "dominant": ("integer", "Carriers of the dominant allele", "", 10, 900, 0, "dominant"),
    "recessive": ("integer", "Carriers of the recessive allele", "", 10, 900, 0, "recessive"),
    "drinks": ("integer", "Number of drinks", "drinks", 1, 9, 0, "drinks"),
    "boxes": ("integer", "Number of boxes", "boxes", 20, 900, 0, "boxes"),
    "boxes_per_pallet": ("integer", "Boxes on a pallet", "boxes per pallet|boxes on each pallet", 4, 60, 0, "boxes per pallet"),
}
VERBS = ["calculate", "compute", "estimate", "work_out", "find", "get", "determine"]
DESCRIBED = ["{V} the {t} of {o}.", "{V} the {t} of {o} from {q}.", "{V}s the {t} for {o}", "{V} {t}.", "The {t} of {o}, given {q}.", "Returns the {t} of {o}.", "{V} the {t} of {o} based on {q}."]
OPENERS = [
    "{V} the {t} of {o} {p}.", "What is the {t} of {o} {p}?", "What's the {t} for {o} {p}?", "Can you {v} the {t} of {o} {p}?", "I need the {t} of {o} {p}.",
    "Could you tell me the {t} for {o} {p}?", "Please {v} the {t} for {o} {p}.", "{t} of {o} {p}", "How do I get the {t} of {o} {p}? Just give me the result.", "For {o} {p}, {v} the {t}.",
    "I have {o} {p}. What is the {t}?", "Suppose {o} {p}. {V} the {t}.", "We are looking at {o} {p}, and want to know the {t}.", "Help me {v} the {t} of {o} {p}.", "Given {o} {p}, what would the {t} be?",
]
PIECES = ["a {n} of {v}", "{n} {v}", "{n} of {v}", "{v} {n}", "{n} = {v}", "a {n} of {v}", "{v} as the {n}"]
TOLD = ["The {t} is {v}.", "It comes to {v}.", "The {t} of {o} is {v}.", "That gives {v}.", "{v}."]


class CalculatorMaker(Maker):
    def function(self, line: str) -> tuple[dict, dict[str, str]]:
        """A function for one of the targets, and how its parameters are called."""
        target, thing, needed, field = line.split("|")
        how = self.pick(STYLES[:5])
        words = split_name(f"{self.pick(VERBS)} {target}")
        if self.chance(0.15):
            words = split_name(field) + words
        if self.chance(0.2):
            words = words[1:] if len(words) > 2 else words
        names, properties, required = {}, {}, []
        for given in needed.split(","):
            key = given.rstrip("?")
            kind, description, choices, *_ = QUANTITIES[key]
            names[key] = style(split_name(self.renamed(key)), how)
            properties[names[key]] = self.schema(kind, description, choices)
            if not given.endswith("?"):
                required.append(names[key])
        quantities = joined(self.rng, [f"{QUANTITIES[given.rstrip('?')][6].split('|')[0]}" for given in needed.split(",") if not given.endswith("?")])
        description = self.pick(DESCRIBED).format(V=words[0].capitalize() if words[0] in VERBS else "Calculate", t=target, o=thing, q=quantities)
        function = {"name": style(words, self.pick(STYLES)), "description": description, "parameters": {"type": "object", "properties": properties, "required": required}}
        add_spares(self.rng, function)
        return function, names

    def renamed(self, key: str) -> str:
        words = QUANTITIES[key][6].split("|")[0]
        return words if self.chance(0.25) and words not in ("from", "to", "a", "b", "c", "number", "first number") else key

    def schema(self, kind: str, description: str, choices: str) -> dict:
        if kind == "choice" or (kind == "code" and self.chance(0.3)):
            return {"type": "string", "enum": choices.split(","), "description": description}
        if kind == "numbers":
            return {"type": "array", "items": {"type": "number" if self.chance(0.5) else "integer"}, "description": description}
        if kind == "flag":
            return {"type": "boolean", "description": description}
        if kind in ("number", "integer"):
            return {"type": kind if self.chance(0.8) else "number", "description": description}
        return {"type": "string", "description": description}

    def value(self, key: str, known: dict):
        kind, _, choices, low, high, digits, _ = QUANTITIES[key]
        if kind in ("choice", "code"):
            return self.pick([one for one in choices.split(",") if one not in known.values()])
        if kind == "flag":
            return self.chance(0.6)
        if kind == "numbers":
            size = len(known["numbers"]) if key != "numbers" and "numbers" in known else self.rng.randint(3, 8)
            return [self.rng.randint(low, high) for _ in range(size)]
        if kind.startswith("slot:"):
            return self.slots.make(kind[5:])
        number = round(self.rng.uniform(low, high), digits if self.chance(0.6) else 0)
        if high > 900 and self.chance(0.6):
            number = round(number, -2) or high
        return int(number) if number == int(number) else number

    def said(self, key: str, value) -> str:
        """The value as somebody would say it, with its name or without."""
        kind, _, units, *_, names = QUANTITIES[key]
        name = self.pick(names.split("|"))
        if kind == "flag":
            return units.split(",")[0 if value else 1]
        if kind == "numbers":
            listed = json.dumps(value) if self.chance(0.5) else joined(self.rng, [str(one) for one in value])
            return self.pick(["{n} {v}", "the {n} {v}", "{n}: {v}"]).format(n=name, v=listed)
        if name in ("from", "to", "into", "on", "born on"):
            return f"{name} {value}"
        if kind in ("choice", "code") or kind.startswith("slot:"):
            return self.pick(["{n} {v}", "{v} as {n}", "the {n} is {v}", "{n}: {v}"]).format(n=name, v=value)
        shown = f"{value:,}" if isinstance(value, int) and value > 9999 and self.chance(0.5) else str(value)
        unit = self.pick(units.split("|"))
        amount = f"${shown}" if unit == "$" else f"{shown} {unit}".strip() if unit not in ("%",) else f"{shown}%"
        if unit and any(word in unit for word in name.split()) and self.chance(0.8):
            return amount
        return self.pick(PIECES[:3] + PIECES[4:] if unit else ["{n} {v}", "{n} of {v}", "{n} = {v}", "{v} as {n}"]).format(n=name, v=amount)

    def request(self, line: str, names: dict[str, str]) -> tuple[str, dict]:
        target, thing, needed, _ = line.split("|")
        values: dict = {}
        pieces = []
        for given in needed.split(","):
            key = given.rstrip("?")
            if given.endswith("?") and self.chance(0.55):
                continue
            values[key] = self.value(key, values)
            pieces.append(self.said(key, values[key]))
        if self.chance(0.3):
            self.rng.shuffle(pieces)
        verb = self.pick(VERBS).replace("_", " ")
        lead = self.pick(["with", "with", "given", "at", "having", "for"]) if not pieces[0].startswith(("from", "to ", "on ", "by ", "with", "born")) else ""
        text = self.pick(OPENERS).format(V=verb.capitalize(), v=verb, t=target, o=thing, p=f"{lead} {joined(self.rng, pieces)}".strip())
        return text[:1].upper() + text[1:], {names[key]: value for key, value in values.items()}

    def conversation(self) -> dict:
        line = self.pick(TARGETS)
        function, names = self.function(line)
        functions = [function]
        field = line.rpartition("|")[2]
        near = [one for one in TARGETS if one != line and (one.endswith("|" + field) or self.chance(0.03))]
        for other in self.rng.sample(near, min(len(near), self.pick([0, 0, 1, 2, 3]))):
            made = self.function(other)[0]
            if all(made["name"] != one["name"] for one in functions):
                functions.append(made)
        self.rng.shuffle(functions)
        text, arguments = self.request(line, names)
        arguments = {name: arguments[name] for name in function["parameters"]["properties"] if name in arguments}
        roll = self.rng.random()
        if roll < 0.1 and len(functions) > 1:
            kept = [one for one in functions if one is not function and one["description"] != function["description"] and line.split("|")[0] not in one["description"]]
            if kept:
                return {"messages": self.system(0.2) + [user(text), assistant(self.pick(["I have no function for that.", "None of my functions can work that out.", "Sorry, the functions I have do not cover this."]))], "tools": kept}
        messages = [user(text), calling([(function["name"], arguments)])]
        if roll > 0.85:
            more, second = self.request(line, names)
            second = {name: second[name] for name in function["parameters"]["properties"] if name in second}
            messages = [user(f"{text} {self.pick(['Also: ', 'And then: ', '', 'Second: '])}{more}"), calling([(function["name"], arguments), (function["name"], second)])]
        elif roll > 0.7:
            messages += self.answered(line)
        return {"messages": self.system(0.2) + messages, "tools": functions}

    def answered(self, line: str) -> list[dict]:
        target, thing, *_ = line.split("|")
        value = round(self.rng.uniform(1, 5000), self.rng.randint(0, 2))
        value = int(value) if value == int(value) else value
        key = self.pick(["result", "value", target.replace(" ", "_")])
        result = {key: value}
        for name in self.rng.sample(["steps", "precision", "elapsed_ms", "inputs", "iterations", "cached_count"], self.rng.randint(0, 2)):
            result[name] = self.rng.randint(1, 900)
        items = list(result.items())
        self.rng.shuffle(items)
        return [tool_result(json.dumps(dict(items))), assistant(self.pick(TOLD).format(t=target, o=thing, v=value))]
