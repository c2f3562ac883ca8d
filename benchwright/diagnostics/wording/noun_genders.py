"""The gender of nouns that are common in pictures, in German, French, Spanish, Italian and Portuguese.

The gender is taken from lists of frequent nouns and, for unlisted nouns, from endings that nearly always show it
(German `-ung`, French `-tion`, Spanish `-o`). A German compound has the gender of its last part (`Regenschirm`:
`Schirm`). Any other noun has no gender here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

Gender = Literal["m", "f", "n"]
Number = Literal["singular", "plural"]


class NounForm(NamedTuple):
    """The gender and number of a noun."""

    gender: Gender
    number: Number


_GERMAN: Mapping[Gender, str] = {
    "m": "mann hund vogel fisch baum apfel tisch stuhl ball hut schuh mantel rock schirm brief stift schlüssel löffel "
    "teller becher topf korb eimer hammer nagel stein berg fluss see strand wald garten weg turm bahnhof zug bus wagen "
    "lkw lastwagen traktor roller ring stern mond kreis würfel kegel punkt pfeil kopf arm fuß finger mund zahn bart "
    "könig arzt lehrer bauer koch polizist junge vater bruder sohn freund hase löwe affe bär wolf fuchs tiger elefant "
    "esel hirsch igel frosch käfer adler rabe hai wal drache teufel engel kuchen käse saft tee kaffee wein reis "
    "salat pilz knopf gürtel handschuh koffer rucksack beutel sack schrank teppich spiegel vorhang ofen kamin "
    "herd kühlschrank fernseher computer drucker monitor kran motor reifen helm zaun pfosten platz markt hafen park "
    "spielplatz himmel regen schnee nebel wind blitz donner sommer winter herbst frühling januar montag tag abend "
    "morgen film ton pinsel rahmen schatten flügel schwanz schnabel zweig ast stamm strauch kaktus samen kern drache "
    "ballon fallschirm anker kompass magnet dolch speer schild pfad bach teich kanal sumpf gipfel vulkan "
    "gletscher leuchtturm graben hof keller dachboden balkon brunnen stall käfig teig honig pfeffer zucker "
    "knochen muskel magen darm nerv",
    "f": "frau katze maus kuh ziege gans ente henne taube eule spinne biene fliege ameise schlange schnecke robbe "
    "tasse gabel flasche schüssel pfanne kanne lampe kerze uhr brille tasche mütze hose jacke bluse krawatte "
    "tür treppe wand mauer brücke straße kirche burg schule stadt insel küste wüste wiese höhle blume rose tulpe "
    "sonnenblume birne banane kirsche traube zitrone orange erdbeere tomate gurke karotte kartoffel zwiebel "
    "milch butter suppe pizza torte wurst nuss bohne sonne wolke erde welle flamme rakete trommel gitarre geige flöte "
    "trompete glocke pfeife kamera zeitung zeitschrift karte seite note briefmarke münze banknote schere säge axt "
    "leiter schaufel harke nadel schraube bürste seife decke bank couch matratze kiste dose tonne fahne krone kette "
    "perle maske puppe figur linie fläche kugel pyramide raute form farbe zahl hand nase lippe zunge schulter brust "
    "mutter schwester tochter freundin lehrerin ärztin königin ampel kreuzung fähre bahn straßenbahn "
    "maschine mühle kuppel säule statue ruine wurzel feder schale palme tanne eiche birke gardine bluse weste "
    "giraffe antilope ratte fledermaus möwe libelle qualle antwort frage quelle mündung bucht grenze strecke spur "
    "schlucht klippe düne halle treppe küche garage werft fabrik bäckerei apotheke bibliothek feuerwehr polizei "
    "zange waage sanduhr laterne leuchte hecke pflanze wurzel knospe zelle lunge "
    "haut arterie",
    "n": "kind mädchen baby tier pferd schaf schwein huhn küken kamel zebra krokodil reh kalb lamm insekt haus dach "
    "fenster zimmer bett sofa regal kissen bild foto buch heft blatt messer glas brot ei fleisch gemüse obst eis bier "
    "wasser öl salz auto fahrrad motorrad rad flugzeug boot schiff zelt schild telefon handy radio klavier "
    "instrument spiel quadrat dreieck rechteck sechseck fünfeck herz kreuz auge ohr bein gesicht haar knie hemd kleid "
    "kostüm tuch seil netz band schwert gewehr werkzeug beil kabel meer ufer tal feld dorf schloss denkmal museum "
    "theater kino hotel restaurant café krankenhaus gras holz gold silber eisen metall papier licht feuer gewitter "
    "jahr wort lied muster symbol zeichen logo plakat ziel tor stadion becken skelett gehirn blut "
    "gebirge gebäude geländer gefäß getreide gehege gleis ruder segel büro labor moor herz organ gelenk glied "
    "blütenblatt",
}  # fmt: skip
_FRENCH: Mapping[Gender, str] = {
    "m": "homme garçon père frère fils roi chat chien cheval oiseau poisson lapin mouton cochon lion tigre ours loup "
    "renard singe éléphant zèbre crocodile serpent papillon arbre jardin fruit légume citron pain fromage œuf gâteau "
    "café thé vin lait jus riz sel verre bol couteau plat four lit canapé miroir tapis mur toit pont phare port train "
    "bus vélo camion avion tramway tracteur parapluie parasol livre cahier crayon stylo papier pinceau sac chapeau "
    "manteau pantalon pull gant collier anneau masque casque marteau clou seau balai fil tambour violon piano "
    "téléphone ordinateur écran cercle carré triangle cube cône point soleil nuage ciel feu lac fleuve océan désert "
    "champ village musée théâtre stade marché hôtel restaurant parc nez bras pied doigt dos cou visage œil ballon jeu "
    "jouet drapeau panneau moteur moulin coq canard cygne pigeon hibou aigle dauphin requin poulpe crabe bateau navire "
    "sifflet timbre billet peigne savon chêne sapin palmier champignon melon ananas raisin poivron oignon haricot "
    "concombre poireau rameau tronc thermomètre baromètre compas mât gouvernail canal volcan sommet sentier chemin "
    "quai trottoir couloir escalier toit plancher plafond placard tiroir rideau oreiller seau panier sac cœur "
    "poumon foie "
    "cerveau muscle squelette ventre",
    "f": "femme fille mère sœur reine souris vache chèvre poule girafe tortue grenouille abeille mouche "
    "araignée fourmi "
    "fleur rose tulipe plante feuille herbe pomme poire banane orange cerise fraise tomate carotte pizza soupe viande "
    "tasse assiette fourchette cuillère bouteille casserole table chaise lampe bougie porte fenêtre maison église tour "
    "école ville rue route voiture moto fusée montre horloge clé clef lettre carte page image photo guitare flûte "
    "trompette cloche batterie harpe robe jupe chemise veste cravate ceinture chaussure botte écharpe casquette "
    "lunette bague couronne boîte valise échelle scie hache pelle corde roue pièce étoile lune terre mer plage "
    "montagne île rivière cascade forêt grotte neige pluie main tête jambe bouche oreille dent langue ligne flèche "
    "croix balle poupée statue fontaine grue ancre aiguille brosse éponge couverture mouette chouette baleine méduse "
    "gare usine tente barque rame ampoule prise nappe serviette tige racine branche graine épine coque "
    "boulangerie pharmacie bibliothèque mairie colline vallée falaise île baie dune source côte frontière "
    "cheminée cuisine chambre cave échelle veine artère aorte peau lèvre épaule",
}  # fmt: skip
_SPANISH: Mapping[Gender, str] = {
    "m": "hombre padre rey león tigre elefante delfín pez árbol sol mar tren avión camión autobús coche barco reloj "
    "lápiz papel mapa día sofá café té pan pastel tomate limón melón arroz coche puente jardín bosque volcán balón "
    "botón tambor violín piano collar cinturón pantalón zapato guante traje color ojo pie diente corazón hotel museo "
    "bar parque cine teatro buzón cohete planeta cometa poema problema tema sistema clima fantasma monte valle "
    "aceite sobre cartel póster clavel rosal árbol girasol hacha águila agua alma arma ave",
    "f": "mujer madre flor nariz mano foto moto radio luz cruz llave torre nube nieve leche carne noche calle clase "
    "sal miel piel red pared imagen serpiente gente fuente parte llave clave sangre nave base frase imagen",
}  # fmt: skip
_STRESSED_A = frozenset(["hacha", "águila", "agua", "alma", "arma", "ave", "aula", "hada", "ancla", "área", "asa"])
"""Feminine nouns of Spanish that take `el` and `un`; they fit articles of both genders and have no gender here."""
_ITALIAN: Mapping[Gender, str] = {
    "m": "cane pesce leone elefante fiore sole mare cuore ponte piede dente cameriere dottore re signore padre "
    "bicchiere "
    "coltello pane latte caffè tè riso sale pepe fiume monte bar film autobus tram camion computer sport hotel pianeta "
    "problema poeta programma clima tema cinema animale maiale giornale ospedale canale occhiale pallone "
    "bastone limone melone carbone sapone leone",
    "f": "chiave mano moto foto radio auto notte luce croce neve carne nave torre nube volpe tigre arte parete "
    "voce pelle "
    "gente fonte parte madre moglie stazione televisione canzone città università tazza chitarra",
}  # fmt: skip
_PORTUGUESE: Mapping[Gender, str] = {
    "m": "homem pai rei cão leão elefante peixe sol mar avião trem comboio caminhão pão café chá mapa dia coração "
    "balão limão melão botão violão tambor sofá planeta problema pé dente nariz lápis papel hotel leite arroz "
    "sal jardim "
    "navio",
    "f": "mulher mãe flor mão foto moto luz cruz chave torre ponte árvore nuvem carne noite rede parede imagem "
    "serpente "
    "gente fonte parte maçã avelã lã viagem garagem",
}  # fmt: skip
_LISTS: Mapping[str, Mapping[str, Gender]] = {
    language: {noun: gender for gender, nouns in genders.items() for noun in nouns.split()}
    for language, genders in (
        ("de", _GERMAN), ("fr", _FRENCH), ("es", _SPANISH), ("it", _ITALIAN), ("pt", _PORTUGUESE),
    )
}  # fmt: skip
_ENDINGS: Mapping[str, tuple[tuple[Gender, re.Pattern[str]], ...]] = {
    "de": (
        ("n", re.compile(r".{2,}(?:chen|lein|ment|um)")),
        ("f", re.compile(r".{2,}(?:ung|heit|keit|schaft|tion|tät|erei|ik|ette|elle|anz|enz|ade|age|in)")),
        ("m", re.compile(r".{2,}(?:ling|ismus|ich|ant|ent|ist)")),
    ),
    "fr": (
        ("f", re.compile(r".{2,}(?:tion|sion|té|ée|ette|esse|euse|trice|ance|ence|ure|ie|elle|ille|ade|ude|aison|"
                         r"ine)")),
        ("m", re.compile(r".{2,}(?:eau|age|isme|ment|teur|ier|oir|et|ot|on|al|il|ail|ain|in|an|ard|eur)")),
    ),
    "es": (
        ("f", re.compile(r".{1,}(?:a|ción|sión|dad|tad|tud|umbre|ez)")),
        ("m", re.compile(r".{1,}(?:o|aje|or|ón|án|én|ín|al|el|il|ar|er|ente|ante)")),
    ),
    "it": (
        ("f", re.compile(r".{2,}(?:a|zione|sione|tà|tù|trice|ice|ie)")),
        ("m", re.compile(r".{2,}(?:o|ore|iere|ale|ile|one)")),
    ),
    "pt": (
        ("f", re.compile(r".{1,}(?:a|ção|são|dade|agem|ice|tude)")),
        ("m", re.compile(r".{1,}(?:o|or|ema|al|el|il|ol|ar|er|ente|ume)")),
    ),
}  # fmt: skip
_PLURAL: Mapping[str, re.Pattern[str]] = {
    "fr": re.compile(r".{2,}[^s](?:s|x)"), "es": re.compile(r".{2,}[^sí]s"), "pt": re.compile(r".{2,}s"),
}  # fmt: skip
_UMLAUT = str.maketrans("äöü", "aou")
_LEAST_LAST_PART = 4
_SHORT_LAST_PARTS = frozenset(["rad", "uhr", "hut", "zug"])
"""Shorter nouns that end compounds; others, such as `Ei` or `Tor`, match the last letters of many unrelated words."""

LANGUAGES = frozenset(_LISTS)
"""Languages whose nouns have a gender in this module."""


def form_of_noun(noun: str, language: str) -> NounForm | None:
    """Return the gender and number of a noun in the given form; None if neither lists nor its ending show them.

    Args:
        noun: One word.
        language: Code of its language (ISO 639-1), one of `LANGUAGES`.

    Example:
        >>> form_of_noun("Regenschirm", "de"), form_of_noun("étoiles", "fr"), form_of_noun("Zzz", "de")
        (NounForm(gender='m', number='singular'), NounForm(gender='f', number='plural'), None)
    """
    word = noun.casefold()
    if not word.isalpha() or (language == "es" and word in _STRESSED_A):
        return None
    if (gender := _listed(word, language)) is not None:
        return NounForm(gender, "singular")
    plural = _PLURAL.get(language)
    if plural is not None and plural.fullmatch(word):
        singulars = [word[:-1], *([word[:-2]] if word.endswith("es") else [])]
        known = next((gender for each in singulars if (gender := _listed(each, language)) is not None), None)
        gender = known or _by_ending(word[:-1], language)
        return None if gender is None else NounForm(gender, "plural")
    if language == "de" and (gender := _of_german_plural(word)) is not None:
        return NounForm(gender, "plural")
    return None if (gender := _by_ending(word, language)) is None else NounForm(gender, "singular")


def _listed(word: str, language: str) -> Gender | None:
    genders = _LISTS[language]
    if word in genders or language != "de":
        return genders.get(word)
    parts = (word[start:] for start in range(2, len(word) - 2))  # the longest last part of a compound decides
    return next(
        (genders[p] for p in parts if p in genders and (len(p) >= _LEAST_LAST_PART or p in _SHORT_LAST_PARTS)), None
    )


def _of_german_plural(word: str) -> Gender | None:
    for ending in ("en", "er", "n", "e", "s", ""):
        stem = word.removesuffix(ending) if ending else word
        if ending and stem == word:
            continue
        for singular in (stem, stem.translate(_UMLAUT)):
            if singular != word and (gender := _listed(singular, "de")) is not None:
                return gender
    return None


def _by_ending(word: str, language: str) -> Gender | None:
    return next((gender for gender, ending in _ENDINGS[language] if ending.fullmatch(word)), None)
