"""The web page of `lore serve` in headless Chromium: ask, follow a citation, search, errors, an empty
index, another language, a key; labels and contrast. Screenshots stay in build/screenshots."""

import os
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from serving import ROOT, Served

PATIENCE = 90
SCREENSHOTS = ROOT / "build" / "screenshots"

# What a checker for accessibility would look at first.
UNLABELLED = """
return [...document.querySelectorAll('button, input, textarea, select, a')]
  .filter((one) => one.offsetParent !== null)
  .filter((one) => !(one.textContent.trim() || one.getAttribute('aria-label') ||
                     (one.labels && one.labels.length)))
  .map((one) => one.outerHTML);
"""
LOW_CONTRAST = """
function parts(colour) { return colour.match(/[\\d.]+/g).map(Number); }
function light([r, g, b]) {
  const f = (x) => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
}
function ground(one) {
  for (; one; one = one.parentElement) {
    const colour = parts(getComputedStyle(one).backgroundColor);
    if (colour.length < 4 || colour[3] > 0) return colour;
  }
  return [255, 255, 255];
}
return [...document.querySelectorAll('body *')]
  .filter((one) => one.offsetParent !== null && !one.disabled &&
                   [...one.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
  .map((one) => {
    const [a, b] = [light(parts(getComputedStyle(one).color)), light(ground(one))];
    return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), one.outerHTML.slice(0, 120)];
  })
  .filter(([contrast]) => contrast < 4.5);
"""


def browser(width=1100, height=900):
    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--lang=en-US", f"--window-size={width},{height}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = "/usr/bin/chromedriver"  # Debian's
    service = webdriver.ChromeService(driver) if os.path.exists(driver) else None
    return webdriver.Chrome(options=options, service=service)


class Page(unittest.TestCase):
    index = True
    flags = ()

    @classmethod
    def setUpClass(cls):
        cls.served = Served(*cls.flags, index=cls.index).__enter__()
        cls.addClassCleanup(cls.served.__exit__)
        cls.page = browser()
        cls.addClassCleanup(cls.page.quit)

    def setUp(self):
        self.page.get(self.served.url)

    def one(self, selector):
        return self.page.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.page.find_elements(By.CSS_SELECTOR, selector)

    def until(self, condition):
        return WebDriverWait(self.page, PATIENCE).until(lambda _: condition())

    def screenshot(self, name):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.save_screenshot(str(SCREENSHOTS / f"{name}.png"))

    def sound(self, name):
        self.screenshot(name)
        self.assertEqual(self.page.execute_script(UNLABELLED), [])
        self.assertEqual(self.page.execute_script(LOW_CONTRAST), [])
        severe = [entry for entry in self.page.get_log("browser")
                  if entry["level"] == "SEVERE" and "401" not in entry["message"]]
        self.assertEqual(severe, [])

    def ask(self, question):
        box = self.one("#question")
        box.clear()
        box.send_keys(question, Keys.ENTER)
        self.until(lambda: self.one("#ask-state").text.startswith(("Answered", "Beantwortet")))


class Asking(Page):
    flags = ("--allow-upload",)

    def test_an_answer_and_its_citation(self):
        self.ask("At what pressure does the pump stop by itself?")
        self.assertTrue(self.one("#answer").text)
        self.sound("answer")
        places = self.all("#citations .place") or self.all("#passages .place")
        places[0].click()
        self.until(lambda: self.one("#viewer").is_displayed())
        self.assertTrue(self.one("#viewer mark").text)
        self.sound("citation")
        self.one("#viewer").send_keys(Keys.ESCAPE)
        self.until(lambda: not self.one("#viewer").is_displayed())

    def test_what_the_documents_do_not_tell(self):
        self.ask("Who won the football world cup of 1954?")
        self.assertIn("do not answer", self.one("#answer").text)
        self.assertGreater(len(self.all("#passages li")), 0)
        self.sound("refusal")

    def test_a_question_without_words(self):
        self.one("#ask-button").click()
        self.assertEqual(self.one("#ask-state").text, "Write a question first.")

    def test_search(self):
        self.one("#tab-search").click()
        self.one("#query").send_keys("alarm", Keys.ENTER)
        self.until(lambda: self.all("#hits li"))
        self.sound("search")

    def test_a_document_that_is_added(self):
        self.one("#tab-documents").click()
        with tempfile.NamedTemporaryFile("w", suffix=".txt", prefix="boiler-") as file:
            file.write("The spare key of the boiler room hangs behind the clock.\n")
            file.flush()
            self.one("#upload").send_keys(file.name)
            name = os.path.basename(file.name)
            self.until(lambda: name in self.one("#list").text)
        self.sound("added")

    def test_documents(self):
        self.one("#tab-documents").click()
        self.until(lambda: self.all("#list tbody tr"))
        self.assertIn("pump-manual.pdf", self.one("#list").text)
        self.sound("documents")

    def test_german_and_the_dark(self):
        self.page.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.one("#language").send_keys("Deutsch")
        self.assertEqual(self.one("#tab-ask").text, "Fragen")
        self.assertEqual(self.one("html").get_attribute("lang"), "de")
        self.ask("What does the pump do?")
        self.sound("german-dark")
        self.one("#language").send_keys("English")
        self.page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def test_a_telephone(self):
        self.page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True})
        self.ask("At what pressure does the pump stop by itself?")
        self.assertLessEqual(self.page.execute_script("return document.body.scrollWidth"), 360)
        for button in self.all("nav button"):
            self.assertLess(button.size["height"], 60, button.text)
        self.sound("telephone")
        self.page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_the_keyboard_alone(self):
        self.one("body").send_keys("/")
        self.page.switch_to.active_element.send_keys("alarm")
        self.assertEqual(self.one("#question").get_attribute("value"), "alarm")

    def test_markup_in_a_document_is_text(self):
        self.assertEqual(
            self.page.execute_script(
                "showAnswer('<img src=x onerror=\"window.broken=1\"> [1]', []);"
                "return document.querySelectorAll('#answer img').length"), 0)
        self.assertIsNone(self.page.execute_script("return window.broken"))


class WithoutIndex(Page):
    index = False

    def test_it_says_so(self):
        self.until(lambda: "no index" in self.one("#problem").text)
        self.sound("no-index")


class WithKey(Page):
    flags = ("--api-key", "sesame")

    def test_the_key_is_asked_for(self):
        self.until(lambda: self.one("#key").is_displayed())
        self.sound("key")
        self.one("#key").send_keys("sesame", Keys.ENTER)
        self.until(lambda: not self.one("#key-form").is_displayed())
        self.one("#tab-documents").click()
        self.until(lambda: self.all("#list tbody tr"))


if __name__ == "__main__":
    unittest.main()
